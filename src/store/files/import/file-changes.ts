// Diffs of the files that a call of an editing tool changed.

import { isAbsolute, resolve } from "node:path";
import { numberMember, objectsMember, textMember, textsMember } from "../../../base/json-members.ts";
import { isObject, type JsonObject } from "../../../base/json-object.ts";
import type { FileUpdateChange } from "../../../protocol/generated/types.ts";

const EDITING = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

export function isEditingTool(name: string): boolean {
  return EDITING.has(name);
}

export interface EditCall {
  readonly name: string;
  readonly input: JsonObject;
  /** The structured result of the tool, which contains the actual diff with its context; absent in some versions. */
  readonly result: unknown;
  readonly cwd: string;
}

export function editChanges({ name, input, result, cwd }: EditCall): FileUpdateChange[] {
  const named = textMember(input, "file_path") ?? textMember(input, "notebook_path") ?? "";
  const path = isAbsolute(named) ? named : resolve(cwd, named);
  const details = isObject(result) ? result : {};
  const hunks = objectsMember(details, "structuredPatch");
  if (hunks.length > 0) return [update(path, hunks.map(renderHunk).join(""))];
  if (name === "Write") {
    const content = textMember(input, "content") ?? "";
    const before = textMember(details, "originalFile");
    return [
      before === null
        ? { path, kind: { type: "add" }, diff: content }
        : update(path, replacement(before, content)),
    ];
  }
  const edits = name === "MultiEdit" ? objectsMember(input, "edits") : [input];
  const isNew = edits.length === 1 && textMember(edits[0] ?? {}, "old_string") === "";
  if (isNew) return [{ path, kind: { type: "add" }, diff: textMember(edits[0] ?? {}, "new_string") ?? "" }];
  const diff = edits
    .map((edit) =>
      replacement(
        textMember(edit, "old_string") ?? "",
        textMember(edit, "new_string") ?? textMember(edit, "new_source") ?? "",
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
    `${numberMember(hunk, `${side}Start`) ?? 1},${numberMember(hunk, `${side}Lines`) ?? 0}`;
  const lines = textsMember(hunk, "lines").map((line) => `${line}\n`);
  return `@@ -${range("old")} +${range("new")} @@\n${lines.join("")}`;
}

/** The position in the file is unknown, so that line numbers start at 1. */
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
