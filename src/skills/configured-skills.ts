// Reads and changes the skill settings in config.toml.

import { dirname } from "node:path";
import { osErrorText } from "../base/errors.ts";
import { readRegularFile } from "../base/read-regular-file.ts";
import { replaceFile, resolveWriteTarget } from "../config/config-file.ts";
import type { Configuration } from "../config/configuration.ts";
import { describeFault } from "../config/toml/config-fault.ts";
import { MAX_CONFIG_FILE_BYTES, parseToml } from "../config/toml/parse-toml.ts";
import { editSkillRules, type SkillSelector } from "./edit-skill-rules.ts";
import { type SkillSettingsResult, toSkillSettings } from "./skill-settings.ts";

/** The number of retries if the file changes concurrently. */
const MAX_ATTEMPTS = 10;

/** Loads the settings for a folder on each call. */
export function createSkillSettingsReader(
  config: Pick<Configuration, "effective">,
): (cwd: string) => Promise<SkillSettingsResult> {
  return async (cwd) => {
    const loaded = await config.effective({ cwd });
    return loaded.ok
      ? { ok: true, settings: toSkillSettings(loaded.value.layers) }
      : { ok: false, message: loaded.error.message };
  };
}

export type SwitchSkillResult = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Enables or disables a skill in the user's configuration. */
export type SwitchSkill = (selector: SkillSelector, enabled: boolean) => Promise<SwitchSkillResult>;

export interface SkillSwitchOptions {
  /** The config.toml of the home. */
  readonly file: string;
  readonly createId: () => string;
}

export function createSkillSwitch({ file, createId }: SkillSwitchOptions): SwitchSkill {
  async function attempt(selector: SkillSelector, enabled: boolean): Promise<SwitchSkillResult | "changed"> {
    const target = await resolveWriteTarget(file);
    const text = await readIfExists(target);
    const parsed = parseToml(text ?? "", file);
    if (!parsed.ok) return { ok: false, message: describeFault(parsed.fault) };
    const folder = dirname(file);
    const next = await editSkillRules({ text: text ?? "", table: parsed.table, folder }, selector, enabled);
    if (next === (text ?? "")) return { ok: true };
    if (!parseToml(next, file).ok) {
      return { ok: false, message: `cannot change ${file} without damage; please edit it by hand` };
    }
    const replaced = await replaceFile({ target, text }, next, `.config-${createId()}.tmp`);
    return replaced === "changed" ? "changed" : { ok: true };
  }

  return async (selector, enabled) => {
    try {
      for (let count = 0; count < MAX_ATTEMPTS; count++) {
        const result = await attempt(selector, enabled);
        if (result !== "changed") return result;
      }
    } catch (error) {
      return { ok: false, message: osErrorText(error) };
    }
    return { ok: false, message: `${file} is being changed by another program` };
  };
}

async function readIfExists(file: string): Promise<string | undefined> {
  const read = await readRegularFile(file, { maxBytes: MAX_CONFIG_FILE_BYTES, from: "own" });
  if (read.kind === "read") return read.bytes.toString("utf8");
  if (read.reason === "missing") return undefined;
  throw new Error(read.message);
}
