// Notes in the user's file that a folder may bring its own configuration and hooks.
import { type ConfigResult, failure } from "./config-error.ts";
import { describeFault } from "./config-fault.ts";
import { withValue } from "./edit-toml.ts";
import type { FileCache } from "./file-cache.ts";
import { trustTarget } from "./project-trust.ts";
import { saveEdits } from "./save-edits.ts";
import { createTable, valueAt } from "./toml-value.ts";

interface TrustInput {
  readonly folder: string;
  readonly file: string;
  readonly files: FileCache;
  readonly createId: () => string;
}

const MAX_ATTEMPTS = 50;

export async function trustProject({
  folder,
  file,
  files,
  createId,
}: TrustInput): Promise<ConfigResult<string>> {
  const target = await trustTarget(folder);
  const path = ["projects", target, "trust_level"];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const state = await files.read(file);
    if (state.kind === "fault") return failure(describeFault(state.fault));
    const before = state.kind === "table" ? state.table : createTable();
    if (valueAt(before, path) === "trusted") return { ok: true, value: target };
    const after = withValue(before, path, "trusted");
    const text = state.kind === "table" ? state.text : undefined;
    const saved = await saveEdits({ file, text, before, after, paths: [path], createId });
    if (saved === "changed") continue;
    return saved.ok ? { ok: true, value: target } : failure(saved.message);
  }
  return failure(`${file} is being changed by another program`);
}
