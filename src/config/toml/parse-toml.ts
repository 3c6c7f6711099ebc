// Decodes and parses a TOML file into a table, or a fault with its location.
import { isUtf8 } from "node:buffer";
import { parse, TomlError } from "smol-toml";
import type { ConfigFault } from "./config-fault.ts";
import { isTable, type TomlTable, type TomlValue } from "./toml-value.ts";

/** A larger config file is a mistake. */
export const MAX_CONFIG_FILE_BYTES = 8 * 1024 * 1024;

export type ParsedToml = { ok: true; table: TomlTable } | { ok: false; fault: ConfigFault };

export type DecodedText = { ok: true; text: string } | { ok: false; reason: string };

export function decodeText(read: Uint8Array): DecodedText {
  const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
  const text = bytes.toString("utf8");
  if (isUtf8(bytes)) return { ok: true, text };
  const { index, line } = firstInvalidByte(bytes, text);
  return { ok: false, reason: `invalid utf-8 sequence from index ${index} (line ${line})` };
}

export function parseToml(text: string, file: string): ParsedToml {
  try {
    const table: TomlTable = parse(text, { integersAsBigInt: true });
    const wide = findWideInteger(table, []);
    if (wide === undefined) return { ok: true, table };
    return { ok: false, fault: { message: `integer does not fit into 64 bits in ${file}`, path: wide } };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const position = { line: error.line, column: error.column };
    const reason = error.message.split("\n", 1)[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    return { ok: false, fault: { message: reason, location: { file, start: position, end: position } } };
  }
}

function findWideInteger(value: TomlValue, path: readonly string[]): readonly string[] | undefined {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value ? undefined : path;
  if (!Array.isArray(value) && !isTable(value)) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = findWideInteger(item, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Invalid bytes decode to U+FFFD; the first one that is not in the file itself marks the position. */
function firstInvalidByte(bytes: Buffer, text: string): { index: number; line: number } {
  let at = text.indexOf("\uFFFD");
  let index = Buffer.byteLength(text.slice(0, at));
  while (bytes.subarray(index, index + 3).equals(Buffer.from("\uFFFD"))) {
    const next = text.indexOf("\uFFFD", at + 1);
    index += Buffer.byteLength(text.slice(at, next));
    at = next;
  }
  return { index, line: text.slice(0, at).split("\n").length };
}
