// Checks of single values: text, numbers, true and false.

import type { Check } from "./compile-members.ts";
import type { Schema } from "./schema.ts";
import { isWhole, unexpected } from "./unexpected.ts";

export function compileScalar(schema: Schema): Check {
  switch (schema.type) {
    case "string":
      return textFormats[schema.format ?? ""] ?? text;
    case "boolean":
      return (value) =>
        typeof value === "boolean" ? null : `invalid type: ${unexpected(value)}, expected a boolean`;
    case "integer":
      return compileInteger(integerFormats[schema.format ?? ""] ?? signed64);
    case "number":
      return (value) =>
        typeof value === "number" ? null : `invalid type: ${unexpected(value)}, expected f64`;
    default:
      return () => null;
  }
}

const text: Check = (value) =>
  typeof value === "string" ? null : `invalid type: ${unexpected(value)}, expected a string`;

const path: Check = (value) =>
  typeof value === "string" ? null : `invalid type: ${unexpected(value)}, expected path string`;

const hyphenated = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const uuidPattern = new RegExp(`^(?:[0-9a-f]{32}|(?:urn:uuid:)?${hyphenated}|\\{${hyphenated}\\})$`, "i");

/** An absolute path of POSIX, a drive or share of Windows, or a file URL. */
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
      return `invalid type: ${unexpected(value)}, expected ${name}`;
    }
    if (value < minimum || value > maximum) return `invalid value: ${unexpected(value)}, expected ${name}`;
    return null;
  };
}
