// Applies changes of a table to the text of its file.
import { osErrorText } from "../base/errors.ts";
import { replaceFile, resolveWriteTarget } from "./config-file.ts";
import { editToml } from "./toml/edit-toml.ts";
import { parseToml } from "./toml/parse-toml.ts";
import {
  createTable,
  isTable,
  sameValue,
  type TomlTable,
  type TomlValue,
  valueAt,
} from "./toml/toml-value.ts";

export interface EditedFile {
  readonly file: string;
  /** The text that the change was computed from; undefined if there was no file. */
  readonly text: string | undefined;
  readonly before: TomlTable;
  readonly after: TomlTable;
  readonly paths: readonly (readonly string[])[];
  readonly createId: () => string;
}

export type SavedEdits =
  /** Another writer has changed the file meanwhile. */
  | "changed"
  | { readonly ok: true; readonly table: TomlTable }
  | { readonly ok: false; readonly message: string };

export async function saveEdits(edited: EditedFile): Promise<SavedEdits> {
  const { file, text = "", before, after, createId } = edited;
  if (sameValue(before, after)) return { ok: true, table: after };
  const next = editText(edited, text);
  const reread = parseToml(next, file);
  if (!reread.ok || !sameValue(withoutEmpty(reread.table), withoutEmpty(after))) {
    return { ok: false, message: `cannot change ${file} without losing something; please edit it by hand` };
  }
  try {
    const target = await resolveWriteTarget(file);
    const outcome = await replaceFile({ target, text: edited.text }, next, `.config-${createId()}.tmp`);
    return outcome === "changed" ? "changed" : { ok: true, table: reread.table };
  } catch (error) {
    return { ok: false, message: osErrorText(error) };
  }
}

function editText({ before, after, paths }: EditedFile, text: string): string {
  let result = text;
  for (const path of paths) {
    const value = valueAt(after, path);
    if (!sameValue(valueAt(before, path), value)) result = editToml(result, { path, value });
  }
  return result;
}

/** An empty table needs no text: removing its last key may remove it as well. */
function withoutEmpty(value: TomlValue): TomlValue {
  if (!isTable(value)) return value;
  const kept = Object.entries(value).map(([key, item]) => [key, withoutEmpty(item)] as const);
  return createTable(kept.filter(([, item]) => !isTable(item) || Object.keys(item).length > 0));
}
