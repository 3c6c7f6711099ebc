/**
 * The nodes of a YAML document, and typed access to known fields. Type errors have the messages of the peer.
 */

const NULL_VALUE = /^(?:~|null|Null|NULL)?$/;
const BOOLEAN = /^(?:true|True|TRUE|false|False|FALSE)$/;
const INTEGER = /^[-+]?(?:0|[1-9]\d*|0x[\da-fA-F]+|0o[0-7]+)$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;

export type YamlNode = YamlScalar | YamlList | YamlMap;

export interface YamlScalar {
  readonly kind: "scalar";
  readonly text: string;
  /** Unquoted, so that it may be a number, a boolean or null. */
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

/** A missing value, as after `key:`. */
export function emptyScalar(at: number): YamlScalar {
  return { kind: "scalar", text: "", plain: true, at };
}

/** Formats the position of an offset like the peer; offset 0 has none. */
export function formatPosition(text: string, at: number): string {
  if (at === 0) return "";
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  return ` at line ${line} column ${at - before.lastIndexOf("\n")}`;
}

/** A node with the context for error messages: the document's text, and the path of keys. */
export interface LocatedNode {
  readonly text: string;
  readonly path: string;
  readonly node: YamlNode;
}

/** The known fields of a mapping, which messages call `struct`; none for a missing value. */
export function readFields<Field extends string>(
  located: LocatedNode,
  struct: string,
  fields: readonly Field[],
): Partial<Record<Field, LocatedNode>> {
  const { node, text, path } = located;
  if (node.kind === "scalar" && node.plain && node.text === "") return {};
  if (node.kind !== "map") throwTypeError(located, `struct ${struct}`);
  const found: Partial<Record<Field, LocatedNode>> = {};
  for (const { key, value } of node.entries) {
    if (key.kind !== "scalar") throwTypeError({ text, path, node: key }, "field identifier");
    const field = fields.find((name) => name === key.text);
    if (field === undefined) continue;
    if (found[field] !== undefined) throw yamlError(located, `duplicate field \`${field}\``);
    found[field] = { text, path: path === "" ? field : `${path}.${field}`, node: value };
  }
  return found;
}

/** The text of a field; null if it is absent or has no value. */
export function readString(located: LocatedNode | undefined): string | null {
  if (located === undefined || isNull(located.node)) return null;
  if (located.node.kind !== "scalar") throwTypeError(located, "a string");
  return located.node.text;
}

export function readBoolean(located: LocatedNode | undefined): boolean | null {
  if (located === undefined || isNull(located.node)) return null;
  const { node } = located;
  if (node.kind !== "scalar" || !node.plain || !BOOLEAN.test(node.text)) throwTypeError(located, "a boolean");
  return node.text.toLowerCase() === "true";
}

export function readList(located: LocatedNode | undefined): readonly LocatedNode[] {
  if (located === undefined || isNull(located.node)) return [];
  const { node, text, path } = located;
  if (node.kind !== "list") throwTypeError(located, "a sequence");
  return node.items.map((item, index) => ({ text, path: `${path}[${index}]`, node: item }));
}

export function yamlError({ text, path, node }: LocatedNode, message: string): YamlError {
  return new YamlError(path === "" ? message : `${path}: ${message}${formatPosition(text, node.at)}`);
}

function throwTypeError(located: LocatedNode, expected: string): never {
  throw yamlError(located, `invalid type: ${describe(located.node)}, expected ${expected}`);
}

function isNull(node: YamlNode): boolean {
  return node.kind === "scalar" && node.plain && NULL_VALUE.test(node.text);
}

function describe(node: YamlNode): string {
  return node.kind === "scalar" ? describeScalar(node) : nameOf(node);
}

function nameOf(node: Exclude<YamlNode, YamlScalar>): string {
  return node.kind === "map" ? "map" : "sequence";
}

function describeScalar({ text, plain }: YamlScalar): string {
  if (!plain) return `string ${JSON.stringify(text)}`;
  if (NULL_VALUE.test(text)) return "unit value";
  if (BOOLEAN.test(text)) return `boolean \`${text.toLowerCase()}\``;
  if (INTEGER.test(text)) return `integer \`${Number(text)}\``;
  if (FLOAT.test(text)) return `floating point \`${Number(text)}\``;
  return `string ${JSON.stringify(text)}`;
}
