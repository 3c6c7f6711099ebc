// Compiles checks of strings, numbers and booleans, and renders values for error messages.

import type { Check, Schema } from "./schema.ts";

export function compileScalar(schema: Schema): Check {
  switch (schema.type) {
    case "string":
      return textFormats[schema.format ?? ""] ?? text;
    case "boolean":
      return (value) =>
        typeof value === "boolean" ? null : `invalid type: ${describeValue(value)}, expected a boolean`;
    case "integer":
      return compileInteger(integerFormats[schema.format ?? ""] ?? signed64);
    case "number":
      return (value) =>
        typeof value === "number" ? null : `invalid type: ${describeValue(value)}, expected f64`;
    default:
      return () => null;
  }
}

const text: Check = (value) =>
  typeof value === "string" ? null : `invalid type: ${describeValue(value)}, expected a string`;

const path: Check = (value) =>
  typeof value === "string" ? null : `invalid type: ${describeValue(value)}, expected path string`;

const hyphenated = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const uuidPattern = new RegExp(`^(?:[0-9a-f]{32}|(?:urn:uuid:)?${hyphenated}|\\{${hyphenated}\\})$`, "i");

/** An absolute POSIX path, a Windows drive or share, or a file URL. */
const anyAbsolutePath = /^(?:\/|[A-Za-z]:[\\/]|\\\\|file:\/\/)/;

const textFormats: Readonly<Record<string, Check>> = {
  path,
  "path-uri": (value) =>
    text(value) ??
    (anyAbsolutePath.test(value as string) ? null : `path \`${String(value)}\` is not absolute`),
  "absolute-path": (value) =>
    path(value) ??
    ((value as string).startsWith("/") ? null : "AbsolutePathBuf deserialized without a base path"),
  "thread-id": (value) => text(value) ?? (uuidPattern.test(value as string) ? null : "invalid thread id"),
  "reasoning-effort": (value) => text(value) ?? (value === "" ? "reasoning_effort must not be empty" : null),
};

interface IntegerFormat {
  readonly name: string;
  readonly minimum: number;
  readonly maximum: number;
}

const signed64: IntegerFormat = { name: "i64", minimum: -(2 ** 63), maximum: 2 ** 63 };

const integerFormats: Readonly<Record<string, IntegerFormat>> = {
  uint16: { name: "u16", minimum: 0, maximum: 0xffff },
  uint32: { name: "u32", minimum: 0, maximum: 0xffff_ffff },
  uint64: { name: "u64", minimum: 0, maximum: 2 ** 64 },
  uint: { name: "usize", minimum: 0, maximum: 2 ** 64 },
  int32: { name: "i32", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  int64: signed64,
};

function compileInteger({ name, minimum, maximum }: IntegerFormat): Check {
  return (value) => {
    if (typeof value !== "number" || !isWhole(value)) {
      return `invalid type: ${describeValue(value)}, expected ${name}`;
    }
    if (value < minimum || value > maximum) return `invalid value: ${describeValue(value)}, expected ${name}`;
    return null;
  };
}

/** The value as the peer's deserializer renders it: "string \"x\"", "integer `5`", "map". */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `string ${quote(value)}`;
    case "number":
      return isWhole(value) ? `integer \`${value}\`` : `floating point \`${decimal(value)}\``;
    case "boolean":
      return `boolean \`${value}\``;
    default:
      if (value === null || value === undefined) return "null";
      return Array.isArray(value) ? "sequence" : "map";
  }
}

/** Whether the number is an integer of 64 bits; larger ones are read as floating point. */
export function isWhole(value: number): boolean {
  return Number.isInteger(value) && value < 2 ** 64 && value >= -(2 ** 63);
}

function decimal(value: number): string {
  return Number.isInteger(value) ? value.toExponential() : String(value);
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\0": "\\0",
};

/** Escapes quotes and invisible characters. */
function quote(text: string): string {
  const escaped = text.replace(/["\\\p{C}\p{Z}\p{Mn}\p{Me}]/gu, (char) =>
    char === " " ? char : (escapes[char] ?? `\\u{${char.codePointAt(0)?.toString(16)}}`),
  );
  return `"${escaped}"`;
}

/** "`a`", "`a` or `b`", "one of `a`, `b`, `c`". */
export function expectedOneOf(words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``);
  return quoted.length > 2 ? `one of ${quoted.join(", ")}` : quoted.join(" or ");
}
