// Walks the schema and lists every key, for reference documentation.
import type { ConfigNode, Field, Kind } from "./kind.ts";

export interface ListedKey {
  /** `<name>` stands for a name that the user chooses, `[]` for any entry of a list. */
  readonly path: string;
  readonly type: string;
  /** Undefined where nothing stands for a missing key. */
  readonly fallback: ConfigNode | undefined;
  readonly required: boolean;
  readonly doc: string;
}

export function listKeys(kind: Kind<unknown>, prefix = ""): ListedKey[] {
  const own = Object.entries(kind.fields ?? {}).flatMap(([key, field]) => listField(prefix + key, field));
  const entry =
    kind.entry === undefined ? [] : listKeys(kind.entry, `${prefix}${kind.entryKey ?? "<name>"}.`);
  return [...own, ...entry];
}

function listField(path: string, field: Field<unknown>): ListedKey[] {
  const { kind, doc, presence, fallback } = field;
  const row: ListedKey = {
    path,
    type: kind.label,
    fallback: fallback === null || kind.fields !== undefined ? undefined : fallback,
    required: presence === "required",
    doc,
  };
  return [row, ...listKeys(kind, `${path}.`)];
}
