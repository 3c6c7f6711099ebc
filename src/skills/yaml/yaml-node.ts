/**
 * What a YAML document is made of, and how known fields are taken out of it. What is wrong with their types is said as
 * the peer says it.
 */

const NOTHING = /^(?:~|null|Null|NULL)?$/;
const BOOLEAN = /^(?:true|True|TRUE|false|False|FALSE)$/;
const INTEGER = /^[-+]?(?:0|[1-9]\d*|0x[\da-fA-F]+|0o[0-7]+)$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;

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

/** A node with what is needed to speak of it: the document's text, and the keys that lead to it. */
export interface Located {
  readonly text: string;
  readonly path: string;
  readonly node: YamlNode;
}

/** The known fields of a mapping that is called `struct` in messages; none if there is no value at all. */
export function readFields<Field extends string>(
  located: Located,
  struct: string,
  fields: readonly Field[],
): Partial<Record<Field, Located>> {
  const { node, text, path } = located;
  if (node.kind === "scalar" && node.plain && node.text === "") return {};
  if (node.kind !== "map") refuse(located, `struct ${struct}`);
  const found: Partial<Record<Field, Located>> = {};
  for (const { key, value } of node.entries) {
    if (key.kind !== "scalar") refuse({ text, path, node: key }, "field identifier");
    const field = fields.find((name) => name === key.text);
    if (field === undefined) continue;
    if (found[field] !== undefined) throw fault(located, `duplicate field \`${field}\``);
    found[field] = { text, path: path === "" ? field : `${path}.${field}`, node: value };
  }
  return found;
}

/** The text of a field; null if it is absent or has no value. */
export function readString(located: Located | undefined): string | null {
  if (located === undefined || isNothing(located.node)) return null;
  if (located.node.kind !== "scalar") refuse(located, "a string");
  return located.node.text;
}

export function readBoolean(located: Located | undefined): boolean | null {
  if (located === undefined || isNothing(located.node)) return null;
  const { node } = located;
  if (node.kind !== "scalar" || !node.plain || !BOOLEAN.test(node.text)) refuse(located, "a boolean");
  return node.text.toLowerCase() === "true";
}

export function readList(located: Located | undefined): readonly Located[] {
  if (located === undefined || isNothing(located.node)) return [];
  const { node, text, path } = located;
  if (node.kind !== "list") refuse(located, "a sequence");
  return node.items.map((item, index) => ({ text, path: `${path}[${index}]`, node: item }));
}

export function fault({ text, path, node }: Located, message: string): YamlError {
  return new YamlError(path === "" ? message : `${path}: ${message}${placeOf(text, node.at)}`);
}

function refuse(located: Located, expected: string): never {
  throw fault(located, `invalid type: ${describe(located.node)}, expected ${expected}`);
}

function isNothing(node: YamlNode): boolean {
  return node.kind === "scalar" && node.plain && NOTHING.test(node.text);
}

function describe(node: YamlNode): string {
  return node.kind === "scalar" ? describeScalar(node) : nameOf(node);
}

function nameOf(node: Exclude<YamlNode, YamlScalar>): string {
  return node.kind === "map" ? "map" : "sequence";
}

function describeScalar({ text, plain }: YamlScalar): string {
  if (!plain) return `string ${JSON.stringify(text)}`;
  if (NOTHING.test(text)) return "unit value";
  if (BOOLEAN.test(text)) return `boolean \`${text.toLowerCase()}\``;
  if (INTEGER.test(text)) return `integer \`${Number(text)}\``;
  if (FLOAT.test(text)) return `floating point \`${Number(text)}\``;
  return `string ${JSON.stringify(text)}`;
}
