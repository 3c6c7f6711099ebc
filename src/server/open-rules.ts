import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Logger } from "../base/logger.ts";
import type { Effective } from "../config/get-effective.ts";
import { openRuleBook, type RuleBook } from "../tools/policy/rules/rule-book.ts";
import { describeRulesFault } from "../tools/policy/rules/rules-fault.ts";

export interface RulesPlace {
  readonly home: string;
  readonly cwd: string;
}

/** The rules about commands that hold for a thread: the user's, and those of a project that is trusted. */
export async function openRules(
  effective: Effective,
  { home, cwd }: RulesPlace,
  log: Logger,
): Promise<RuleBook> {
  const configured = effective.layers.flatMap(({ disabledReason, file }) =>
    disabledReason === undefined && file !== undefined ? [dirname(file.path)] : [],
  );
  const project = effective.trustLevel === "trusted" ? projectFolders(cwd, effective) : [];
  const book = await openRuleBook({ home, configFolders: [...new Set([home, ...configured, ...project])] });
  for (const fault of book.faults) {
    log.warn("a rules file could not be read", { fault: describeRulesFault(fault) });
  }
  return book;
}

/** The `.codex` folders from the project's root down to the working folder, also those without a config.toml. */
function projectFolders(cwd: string, { values }: Effective): string[] {
  const markers = values.project_root_markers ?? [".git"];
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(join(folder, ".codex"));
    if (markers.some((marker) => existsSync(join(folder, marker)))) return folders;
    // Without a marked root the project is the working folder alone.
    if (folder === dirname(folder)) return [join(cwd, ".codex")];
  }
}
