/** Finds and reads the rules files of the home, the project and the machine. */
import { isUtf8 } from "node:buffer";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Refused } from "../../base/open-regular-file.ts";
import { osErrorText } from "../../base/os-error.ts";
import { readRegularFile } from "../../base/read-regular-file.ts";
import { parseRules } from "./parse-rules.ts";
import { mergeRules, NO_RULES, type RuleSet } from "./rule-set.ts";
import type { RulesFault } from "./rules-fault.ts";

export interface LoadedRules {
  readonly rules: RuleSet;
  readonly faults: readonly RulesFault[];
}

const EXTENSION = ".rules";
/** A larger file is refused as a whole. */
export const MAX_RULES_BYTES = 1_048_576;

/**
 * Reads `rules/*.rules` of each config folder, in order. While any file has a fault, no rule allows anything, because
 * the lost part might have forbidden it; rules that prompt or forbid still count.
 */
export async function loadRules(configFolders: readonly string[]): Promise<LoadedRules> {
  let rules = NO_RULES;
  const faults: RulesFault[] = [];
  for (const folder of configFolders) {
    for (const path of await findRulesFiles(join(folder, "rules"), faults)) {
      const source = await readSource(path, faults);
      if (source === null) continue;
      const parsed = parseRules(source, rules);
      if (!parsed.ok) faults.push({ path, range: parsed.range, message: parsed.message });
      const prefixRules = parsed.rules.prefixRules.map((rule) => ({ ...rule, file: path }));
      rules = mergeRules(rules, { ...parsed.rules, prefixRules });
    }
  }
  return { rules: faults.length === 0 ? rules : withoutAllowances(rules), faults };
}

function withoutAllowances(rules: RuleSet): RuleSet {
  return {
    ...rules,
    prefixRules: rules.prefixRules.filter(({ decision }) => decision !== "allow"),
    networkRules: rules.networkRules.filter(({ decision }) => decision !== "allow"),
  };
}

async function findRulesFiles(folder: string, faults: RulesFault[]): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter(
        (entry) => entry.isFile() && entry.name.length > EXTENSION.length && entry.name.endsWith(EXTENSION),
      )
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      faults.push({
        path: folder,
        range: null,
        message: `failed to read rules files: ${osErrorText(error)}`,
      });
    return [];
  }
}

async function readSource(path: string, faults: RulesFault[]): Promise<string | null> {
  const read = await readRegularFile(path, { maxBytes: MAX_RULES_BYTES, from: "own" });
  if (read.kind === "read" && isUtf8(read.bytes)) return new TextDecoder("utf-8").decode(read.bytes);
  const message = read.kind === "read" ? "rules file is not UTF-8" : reasonOf(read);
  faults.push({ path, range: null, message });
  return null;
}

function reasonOf({ reason, message }: Refused): string {
  return reason === "tooLarge" ? `rules file is larger than ${MAX_RULES_BYTES} bytes` : message;
}
