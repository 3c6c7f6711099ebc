/** What a YAML document is made of, and how it is said what is wrong with one. */

export type YamlNode = YamlScalar | YamlList | YamlMap;

export interface YamlScalar {
  readonly kind: "scalar";
  readonly text: string;
  /** Written without quotes, so that it may mean a number, a boolean or nothing. */
  readonly plain: boolean;
  /** An offset into the document, for messages. */
  readonly at: number;
}

export interface YamlList {
  readonly kind: "list";
  readonly items: readonly YamlNode[];
  readonly at: number;
}

export interface YamlMap {
  readonly kind: "map";
  readonly entries: readonly YamlEntry[];
  readonly at: number;
}

export interface YamlEntry {
  readonly key: YamlNode;
  readonly value: YamlNode;
}

export class YamlError extends Error {}

/** A value that is not there, as after `key:`. */
export function emptyScalar(at: number): YamlScalar {
  return { kind: "scalar", text: "", plain: true, at };
}

/** The place of an offset as the peer writes it; the very beginning has none. */
export function placeOf(text: string, at: number): string {
  if (at === 0) return "";
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  return ` at line ${line} column ${at - before.lastIndexOf("\n")}`;
}
