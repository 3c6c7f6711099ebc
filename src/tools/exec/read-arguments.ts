/** Reads the JSON arguments of a call; what is wrong with them is told to the model. */

export type ReadArguments<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "wrong"; readonly message: string };

type FieldKind = "string" | "boolean" | "count" | "integer" | "strings";

const EXPECTED: Readonly<Record<FieldKind, string>> = {
  string: "a string",
  boolean: "a boolean",
  count: "u64",
  integer: "i32",
  strings: "a sequence",
};

type ValueOf<K extends FieldKind> = K extends "string"
  ? string
  : K extends "boolean"
    ? boolean
    : K extends "strings"
      ? string[]
      : number;

/** The fields of a call: their kinds; those in `required` must be there, null stands for an absent one. */
export function readArguments<F extends Readonly<Record<string, FieldKind>>, R extends keyof F & string>(
  input: string,
  fields: F,
  required: readonly R[],
): ReadArguments<{ [K in keyof F]: ValueOf<F[K]> | (K extends R ? never : null) }> {
  type Value = { [K in keyof F]: ValueOf<F[K]> | (K extends R ? never : null) };
  let parsed: unknown;
  try {
    parsed = JSON.parse(input);
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    return wrong(`invalid type: ${describe(parsed)}, expected struct`);
  }
  const given = parsed as Readonly<Record<string, unknown>>;
  const value: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(fields)) {
    const field = given[name] ?? null;
    const isRequired = (required as readonly string[]).includes(name);
    if (given[name] === undefined && isRequired) return wrong(`missing field \`${name}\`${end(input)}`);
    if ((field !== null || isRequired) && !isKind(field, kind)) {
      return wrong(`${mismatch(field, kind)}${placeOfField(input, name)}`);
    }
    value[name] = field;
  }
  return { kind: "read", value: value as Value };
}

function wrong(reason: string): { kind: "wrong"; message: string } {
  return { kind: "wrong", message: `failed to parse function arguments: ${reason}` };
}

function isKind(value: unknown, kind: FieldKind): boolean {
  if (kind === "count") return Number.isInteger(value) && (value as number) >= 0;
  if (kind === "integer") return Number.isInteger(value);
  if (kind === "strings") return Array.isArray(value) && value.every((each) => typeof each === "string");
  return typeof value === kind;
}

function mismatch(value: unknown, kind: FieldKind): string {
  const fault = kind === "count" && Number.isInteger(value) ? "value" : "type";
  return `invalid ${fault}: ${describe(value)}, expected ${EXPECTED[kind]}`;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "sequence";
  if (typeof value === "object") return "map";
  if (typeof value === "string") return `string ${JSON.stringify(value)}`;
  if (typeof value === "number")
    return `${Number.isInteger(value) ? "integer" : "floating point"} \`${value}\``;
  return `boolean \`${value === true}\``;
}

/** Where the text ends, as parsers name it. */
function end(input: string): string {
  return placeOf(input.trimEnd());
}

/** Where the value of a field ends, as parsers name it; nothing where it cannot be told. */
export function placeOfField(input: string, name: string): string {
  const value = String.raw`(?:"(?:[^"\\]|\\.)*"|[^,}\s]+)`;
  const match = new RegExp(String.raw`"${name}"\s*:\s*${value}`).exec(input);
  return match === null ? "" : placeOf(input.slice(0, match.index + match[0].length));
}

function placeOf(before: string): string {
  const lines = before.split("\n");
  return ` at line ${lines.length} column ${lines.at(-1)?.length ?? 0}`;
}
