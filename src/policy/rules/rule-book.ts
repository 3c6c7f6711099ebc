import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { allowRuleLine, appendRuleLine } from "./append-rule.ts";
import { loadRules } from "./load-rules.ts";
import { matchRules, mergeRules, NO_RULES, type RuleSet, strictest, withAllowedPrefix } from "./rule-set.ts";
import type { RulesFault } from "./rules-fault.ts";

/** The rules of one thread: read once, and extended by what its user allows for good. */
export interface RuleBook {
  readonly rules: RuleSet;
  readonly faults: readonly RulesFault[];
  /** Allows commands that begin so, now and for later threads. The file is changed before the rules in memory are. */
  allow(prefix: readonly string[]): Promise<void>;
}

export interface RuleBookOptions {
  readonly home: string;
  /** Folders of the config layers that are trusted, from the weakest to the strongest. */
  readonly configFolders: readonly string[];
  /** Rules of the administrator; files cannot take them away. */
  readonly required?: RuleSet;
}

export async function openRuleBook(options: RuleBookOptions): Promise<RuleBook> {
  const loaded = await loadRules(options.configFolders);
  let rules = mergeRules(loaded.rules, options.required ?? NO_RULES);
  let turn: Promise<void> = Promise.resolve();

  const path = join(options.home, "rules", "default.rules");

  async function write(prefix: readonly string[]): Promise<void> {
    try {
      if (prefix.length === 0) throw new Error("prefix rule requires at least one token");
      await appendRuleLine(path, allowRuleLine(prefix));
    } catch (error) {
      throw new Error(`failed to update rules file ${path}: ${messageOf(error)}`, { cause: error });
    }
    const matches = matchRules(rules, prefix);
    if (strictest(matches.map(({ rule }) => rule.decision)) !== "allow")
      rules = withAllowedPrefix(rules, prefix, path);
  }

  return {
    get rules() {
      return rules;
    },
    faults: loaded.faults,
    allow(prefix) {
      const done = turn.then(() => write(prefix));
      turn = done.catch(() => {});
      return done;
    },
  };
}
