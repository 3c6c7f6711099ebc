/** Reads `hooks.json`, cached until the file changes. */
import type { Clock } from "../../base/clock.ts";
import { createParsedFiles, type ParsedFiles } from "../../config/file-cache.ts";
import { decodeText } from "../../config/toml/parse-toml.ts";
import { createTable, isTable } from "../../config/toml/toml-value.ts";
import { describeFieldValue } from "./handler-fields.ts";

export type HooksFile =
  | { readonly kind: "missing" }
  /** `tables` is by event, as TOML values; JSON values without a TOML equivalent become null. */
  | { readonly kind: "read"; readonly tables: unknown; readonly warnings: readonly string[] }
  | { readonly kind: "fault"; readonly warning: string };

export const MAX_HOOKS_FILE_BYTES = 1024 * 1024;

export function createHooksFiles(clock: Clock): ParsedFiles<HooksFile> {
  return createParsedFiles<HooksFile>(clock, {
    maxBytes: MAX_HOOKS_FILE_BYTES,
    parse: parseHooksFile,
    missing: () => ({ kind: "missing" }),
    unreadable: (path, reason) => ({
      kind: "fault",
      warning: `failed to read hooks config ${path}: ${reason}`,
    }),
  });
}

export function parseHooksFile(path: string, bytes: Uint8Array): HooksFile {
  const fault = (reason: string): HooksFile => ({
    kind: "fault",
    warning: `failed to parse hooks config ${path}: ${reason}`,
  });
  const decoded = decodeText(bytes);
  if (!decoded.ok) return fault(decoded.reason);
  let file: unknown;
  try {
    file = toToml(JSON.parse(decoded.text));
  } catch (error) {
    return fault(error instanceof Error ? error.message : String(error));
  }
  if (!isTable(file))
    return fault(`expected an object with a member \`hooks\`, found ${describeFieldValue(file)}`);
  const { hooks = null, description = null, ...others } = file as Record<string, unknown>;
  const unknown = Object.keys(others).map((key) => describeFieldValue(key));
  const warnings = unknown
    .slice(0, MAX_UNKNOWN)
    .map((key) => `ignoring unknown field ${key} in ${path}; expected description or hooks`);
  if (unknown.length > MAX_UNKNOWN) {
    warnings.push(`ignoring ${unknown.length - MAX_UNKNOWN} more unknown fields in ${path}`);
  }
  if (description !== null && typeof description !== "string") {
    warnings.push(
      `ignoring description in ${path}: expected a string, found ${describeFieldValue(description)}`,
    );
  }
  return { kind: "read", tables: hooks ?? createTable(), warnings };
}

/** Unknown fields beyond this number are not listed by name. */
const MAX_UNKNOWN = 10;

/** Deeper values become null. */
const MAX_DEPTH = 64;

/** JSON has one number type: an integral value becomes an integer. */
export function toToml(value: unknown, depth = 0): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => toToml(item, depth + 1));
  const table = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) table[key] = toToml(item, depth + 1);
  return table;
}
