// What a YAML document is made of. `at` is an offset into the document, for messages.

export type YamlNode = YamlScalar | YamlList | YamlMap;

export interface YamlScalar {
  readonly kind: "scalar";
  readonly text: string;
  /** Written without quotes, so that it may mean a number, a boolean or nothing. */
  readonly plain: boolean;
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

/** A value that is not there, as after `key:`. */
export function emptyScalar(at: number): YamlScalar {
  return { kind: "scalar", text: "", plain: true, at };
}
