// Which files a call of an editing tool changed, as the differences that file changes are shown by.

import { isAbsolute, resolve } from "node:path";
import { isObject, type JsonObject } from "../../../base/json-object.ts";
import type { FileUpdateChange } from "../../../protocol/generated/types.ts";
import { numberOf, objectsOf, textOf, textsOf } from "../../lines/members.ts";

const EDITING = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

export function isEditingTool(name: string): boolean {
  return EDITING.has(name);
}

export interface EditCall {
  readonly name: string;
  readonly input: JsonObject;
  /** What the tool said beside its text, if it did: the real difference, with the lines around it. */
  readonly result: unknown;
  readonly cwd: string;
}

export function changesOf({ name, input, result, cwd }: EditCall): FileUpdateChange[] {
  const named = textOf(input, "file_path") ?? textOf(input, "notebook_path") ?? "";
  const path = isAbsolute(named) ? named : resolve(cwd, named);
  const told = isObject(result) ? result : {};
  const hunks = objectsOf(told, "structuredPatch");
  if (hunks.length > 0) return [update(path, hunks.map(renderHunk).join(""))];
  if (name === "Write") {
    const content = textOf(input, "content") ?? "";
    const before = textOf(told, "originalFile");
    return [
      before === null
        ? { path, kind: { type: "add" }, diff: content }
        : update(path, replacement(before, content)),
    ];
  }
  const edits = name === "MultiEdit" ? objectsOf(input, "edits") : [input];
  const isNew = edits.length === 1 && textOf(edits[0] ?? {}, "old_string") === "";
  if (isNew) return [{ path, kind: { type: "add" }, diff: textOf(edits[0] ?? {}, "new_string") ?? "" }];
  const diff = edits
    .map((edit) =>
      replacement(
        textOf(edit, "old_string") ?? "",
        textOf(edit, "new_string") ?? textOf(edit, "new_source") ?? "",
      ),
    )
    .join("");
  return [update(path, diff)];
}

function update(path: string, diff: string): FileUpdateChange {
  return { path, kind: { type: "update", move_path: null }, diff };
}

function renderHunk(hunk: JsonObject): string {
  const range = (side: string) =>
    `${numberOf(hunk, `${side}Start`) ?? 1},${numberOf(hunk, `${side}Lines`) ?? 0}`;
  const lines = textsOf(hunk, "lines").map((line) => `${line}\n`);
  return `@@ -${range("old")} +${range("new")} @@\n${lines.join("")}`;
}

/** Where in the file it stands is not known, so the lines are counted from the first. */
function replacement(before: string, after: string): string {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const lines = [...old.map((line) => `-${line}\n`), ...fresh.map((line) => `+${line}\n`)];
  return `@@ -1,${old.length} +1,${fresh.length} @@\n${lines.join("")}`;
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
