/** The files that a patch would change, from its text alone; no file is read. */
import { resolve } from "node:path";
import type { PatchedFile } from "../tool.ts";
import { parsePatch } from "./parse-patch.ts";
import type { Chunk, Hunk } from "./patch.ts";

/** Null for text that is not a patch. */
export function patchedFiles(text: string, cwd: string): readonly PatchedFile[] | null {
  const parsed = parsePatch(text);
  return parsed.kind === "patch" ? parsed.patch.hunks.flatMap((hunk) => filesOf(hunk, cwd)) : null;
}

function filesOf(hunk: Hunk, cwd: string): readonly PatchedFile[] {
  const path = resolve(cwd, hunk.path);
  switch (hunk.kind) {
    case "add":
      return [{ kind: "add", path, text: hunk.text }];
    case "delete":
      return [{ kind: "delete", path }];
    case "update": {
      const { chunks, moveTo } = hunk;
      const update = {
        kind: "update",
        before: side(chunks, "added"),
        after: side(chunks, "removed"),
      } as const;
      const paths = moveTo === undefined ? [path] : [path, resolve(cwd, moveTo)];
      return paths.map((one) => ({ ...update, path: one }));
    }
  }
}

/** The lines of one side of the chunks. */
function side(chunks: readonly Chunk[], without: "added" | "removed"): string {
  return chunks
    .flatMap(({ lines }) => lines.filter(({ kind }) => kind !== without).map(({ text }) => text))
    .join("\n");
}
