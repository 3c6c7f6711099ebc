/** Parses the hook settings of Claude Code's `settings.json`; all other keys are ignored. */
import type { Clock } from "../../base/clock.ts";
import { createParsedFiles, type ParsedFiles } from "../../config/file-cache.ts";
import { decodeText } from "../../config/toml/parse-toml.ts";
import { createTable, isTable } from "../../config/toml/toml-value.ts";
import { describeFieldValue } from "./handler-fields.ts";
import { MAX_HOOKS_FILE_BYTES, toToml } from "./hooks-file.ts";

export type SettingsFile =
  | { readonly kind: "missing" }
  | {
      readonly kind: "read";
      /** By event, as TOML values; JSON values without a TOML equivalent become null. */
      readonly tables: unknown;
      /** `disableAllHooks`: no hook runs, whatever else is configured. */
      readonly disablesAll: boolean;
    }
  | { readonly kind: "fault"; readonly warning: string };

export function createSettingsFiles(clock: Clock): ParsedFiles<SettingsFile> {
  return createParsedFiles<SettingsFile>(clock, {
    maxBytes: MAX_HOOKS_FILE_BYTES,
    parse: parseSettingsFile,
    missing: () => ({ kind: "missing" }),
    unreadable: (path, reason) => ({ kind: "fault", warning: `failed to read settings ${path}: ${reason}` }),
  });
}

export function parseSettingsFile(path: string, bytes: Uint8Array): SettingsFile {
  const fault = (reason: string): SettingsFile => ({
    kind: "fault",
    warning: `no hooks of ${path} run, because it cannot be read: ${reason}`,
  });
  const decoded = decodeText(bytes);
  if (!decoded.ok) return fault(decoded.reason);
  // An empty file counts as missing.
  if (decoded.text.trim() === "") return { kind: "missing" };
  let file: unknown;
  try {
    file = toToml(JSON.parse(decoded.text));
  } catch (error) {
    return fault(error instanceof Error ? error.message : String(error));
  }
  if (!isTable(file)) return fault(`expected an object, found ${describeFieldValue(file)}`);
  const { hooks = null, disableAllHooks = null } = file as Record<string, unknown>;
  return { kind: "read", tables: hooks ?? createTable(), disablesAll: disableAllHooks === true };
}
