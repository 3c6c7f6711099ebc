/** Parses an edit of a write request and applies it to a table. */
import type { ConfigEdit, MergeStrategy } from "../protocol/generated/types.ts";
import { type ConfigResult, rejectWrite } from "./config-error.ts";
import { mergeTables } from "./merge-tables.ts";
import { exactRequirement, type Requirements } from "./requirements.ts";
import { withValue } from "./toml/edit-toml.ts";
import {
  createTable,
  fromJson,
  isTable,
  type Json,
  type TomlTable,
  type TomlValue,
  valueAt,
} from "./toml/toml-value.ts";

export interface ParsedEdit {
  readonly path: readonly string[];
  /** Undefined removes the key. */
  readonly value: TomlValue | undefined;
  readonly mergeStrategy: MergeStrategy;
}

const PROFILE_ADVICE = "can no longer be written; use `--profile <name>` with `<name>.config.toml` instead";

export function parseEdit(edit: ConfigEdit, requirements: Requirements | null): ConfigResult<ParsedEdit> {
  const keyPath = parseKeyPath(edit.keyPath);
  if (!keyPath.ok) return rejectWrite("configValidationError", keyPath.message);
  const { path } = keyPath;
  const fixed = exactRequirement(requirements, path);
  if (fixed !== undefined) {
    return rejectWrite(
      "configRequirementReadonly",
      `\`${fixed}\` is managed by requirements and cannot be changed`,
    );
  }
  const { mergeStrategy } = edit;
  if (edit.value === null) return { ok: true, value: { path, value: undefined, mergeStrategy } };
  if (path.length === 1 && path[0] === "profile") {
    return rejectWrite(
      "configValidationError",
      `\`profile\` is a legacy config selector and ${PROFILE_ADVICE}`,
    );
  }
  if (path[0] === "profiles") {
    return rejectWrite(
      "configValidationError",
      `\`profiles\` contains legacy config profile tables and ${PROFILE_ADVICE}`,
    );
  }
  const value = fromJson(edit.value as Json);
  if (!value.ok) return rejectWrite("configValidationError", `invalid value: ${value.message}`);
  return { ok: true, value: { path, value: value.value, mergeStrategy } };
}

export function applyEdit(
  table: TomlTable,
  { path, value, mergeStrategy }: ParsedEdit,
): ConfigResult<TomlTable> {
  if (value === undefined) return { ok: true, value: withValue(table, path, undefined) };
  const existing = valueAt(table, path);
  if (isTable(value) && isTable(existing) && mergeStrategy === "upsert") {
    return { ok: true, value: mergeTables([table, nest(path, value)]) };
  }
  const parent = valueAt(table, path.slice(0, -1));
  if (parent !== undefined && !isTable(parent)) {
    return rejectWrite("configValidationError", "cannot set value on non-table parent");
  }
  if (isFeatureWithSettings(path, existing, value)) {
    return { ok: true, value: mergeTables([table, nest(path, value)]) };
  }
  return { ok: true, value: withValue(table, path, value) };
}

/** This flag may be a boolean or a table; setting one form preserves the other. */
function isFeatureWithSettings(
  path: readonly string[],
  existing: TomlValue | undefined,
  value: TomlValue,
): boolean {
  if (path.length !== 2 || path[0] !== "features" || path[1] !== "multi_agent_v2") return false;
  return (
    (typeof existing === "boolean" && isTable(value)) || (isTable(existing) && typeof value === "boolean")
  );
}

function nest(path: readonly string[], value: TomlValue): TomlTable {
  return withValue(createTable(), path, value);
}

export type ParsedKeyPath = { ok: true; path: string[] } | { ok: false; message: string };

/**
 * Parses a key path as clients write it: `a.b`, with quotes around segments that contain dots. Bare segments
 * may contain anything but dots and a leading quote, as in the peer: `plugins.a@b`.
 */
export function parseKeyPath(text: string): ParsedKeyPath {
  if (text.trim() === "") return { ok: false, message: "keyPath must not be empty" };
  const path: string[] = [];
  let segment = "";
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"' && quoted) {
      quoted = false;
    } else if (character === '"') {
      if (segment !== "") return { ok: false, message: "invalid quoted keyPath segment" };
      quoted = true;
    } else if (character === "\\" && quoted) {
      index += 1;
      if (index === text.length) return { ok: false, message: "unterminated escape in keyPath" };
      segment += text.charAt(index);
    } else if (character === "." && !quoted) {
      if (segment === "") return { ok: false, message: "keyPath segments must not be empty" };
      path.push(segment);
      segment = "";
    } else {
      segment += character;
    }
  }
  if (quoted) return { ok: false, message: "unterminated quoted keyPath segment" };
  if (segment === "") return { ok: false, message: "keyPath segments must not be empty" };
  return { ok: true, path: [...path, segment] };
}
