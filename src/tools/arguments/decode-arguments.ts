/** Decodes the JSON arguments of a call into typed values; errors are worded for the model. */
import { type Node, parseLocated, positionAt } from "./located-json.ts";

export type Decoded<T> =
  | { readonly kind: "value"; readonly value: T }
  /** Sent to the model verbatim. */
  | { readonly kind: "wrong"; readonly message: string };

/** Decodes one value, or throws a mismatch. */
export type ArgumentShape<T> = (node: Node) => T;

export type ArgumentValue<S> = S extends ArgumentShape<infer T> ? T : never;

class Mismatch extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

export function decodeArguments<T>(input: string, shape: ArgumentShape<T>): Decoded<T> {
  const wrong = (reason: string): Decoded<T> => ({
    kind: "wrong",
    message: `failed to parse function arguments: ${reason}`,
  });
  const parsed = parseLocated(input);
  if (parsed.kind === "wrong") return wrong(parsed.message);
  try {
    return { kind: "value", value: shape(parsed.node) };
  } catch (error) {
    if (error instanceof Mismatch) return wrong(error.message + positionAt(input, error.offset));
    throw error;
  }
}

export const text: ArgumentShape<string> = (node) =>
  node.kind === "scalar" && typeof node.value === "string" ? node.value : mismatch(node, "a string");

export const flag: ArgumentShape<boolean> = (node) =>
  node.kind === "scalar" && typeof node.value === "boolean" ? node.value : mismatch(node, "a boolean");

/** A non-negative integer. */
export const count: ArgumentShape<number> = (node) => {
  if (node.kind !== "scalar" || typeof node.value !== "number") return mismatch(node, "u64");
  if (!Number.isInteger(node.value)) return mismatch(node, "u64");
  if (node.value < 0) {
    throw new Mismatch(`invalid value: integer \`${node.value}\`, expected u64`, node.end);
  }
  return node.value;
};

export const integer: ArgumentShape<number> = (node) =>
  node.kind === "scalar" && Number.isInteger(node.value) ? (node.value as number) : mismatch(node, "i32");

export function choice<W extends string>(...choices: readonly W[]): ArgumentShape<W> {
  return (node) => {
    const given = text(node);
    const found = choices.find((choice) => choice === given);
    if (found !== undefined) return found;
    throw new Mismatch(`unknown variant \`${given}\`, expected ${oneOf(choices)}`, node.end);
  };
}

export function list<T>(item: ArgumentShape<T>): ArgumentShape<T[]> {
  return (node) => (node.kind === "list" ? node.items.map(item) : mismatch(node, "a sequence"));
}

/** A member that may be absent or null. */
export function maybe<T>(shape: ArgumentShape<T>): ArgumentShape<T | null> & { readonly isOptional: true } {
  const read = (node: Node): T | null => (node.kind === "scalar" && node.value === null ? null : shape(node));
  return Object.assign(read, { isOptional: true as const });
}

export const anyJson: ArgumentShape<unknown> = (node) => {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(anyJson);
    default:
      return Object.fromEntries(node.members.map(({ name, value }) => [name, anyJson(value)]));
  }
};

type Fields = Readonly<Record<string, ArgumentShape<unknown>>>;

/** `name` appears in error messages; a closed struct rejects unknown members. */
export function struct<F extends Fields>(
  name: string,
  fields: F,
  { isClosed = false } = {},
): ArgumentShape<{ readonly [K in keyof F]: ArgumentValue<F[K]> }> {
  return (node) => {
    if (node.kind !== "map") return mismatch(node, `struct ${name}`);
    const values: Record<string, unknown> = {};
    for (const member of node.members) {
      const shape = Object.hasOwn(fields, member.name) ? fields[member.name] : undefined;
      if (shape !== undefined) values[member.name] = shape(member.value);
      else if (isClosed) {
        const expected = oneOf(Object.keys(fields));
        throw new Mismatch(`unknown field \`${member.name}\`, expected ${expected}`, member.nameEnd);
      }
    }
    for (const [field, shape] of Object.entries(fields)) {
      if (field in values) continue;
      if (!("isOptional" in shape)) throw new Mismatch(`missing field \`${field}\``, node.end);
      values[field] = null;
    }
    return values as { readonly [K in keyof F]: ArgumentValue<F[K]> };
  };
}

function mismatch(node: Node, expected: string): never {
  const offset = node.kind === "scalar" ? node.end : node.start + 1;
  throw new Mismatch(`invalid type: ${describe(node)}, expected ${expected}`, offset);
}

function describe(node: Node): string {
  if (node.kind === "list") return "sequence";
  if (node.kind === "map") return "map";
  const { value } = node;
  if (value === null) return "null";
  if (typeof value === "string") return `string ${JSON.stringify(value)}`;
  if (typeof value === "boolean") return `boolean \`${value}\``;
  return `${Number.isInteger(value) ? "integer" : "floating point"} \`${value}\``;
}

/** "`a`", "`a` or `b`", "one of `a`, `b`, `c`". */
function oneOf(choices: readonly string[]): string {
  const quoted = choices.map((choice) => `\`${choice}\``);
  return quoted.length > 2 ? `one of ${quoted.join(", ")}` : quoted.join(" or ");
}
