import { dirname, join } from "node:path";
import { AppError, messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Effective } from "../../config/get-effective.ts";
import { findProjectFolders, rootMarkersOf } from "../../config/project-root.ts";
import { toRequiredRules } from "../../policy/rules/required-rules.ts";
import { openRuleBook, type RuleBook } from "../../policy/rules/rule-book.ts";
import type { RuleSet } from "../../policy/rules/rule-set.ts";
import { describeRulesFault } from "../../policy/rules/rules-fault.ts";
import type { ConfigWarningNotification } from "../../protocol/generated/types.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import type { Host } from "../configuration/host.ts";

/** The command rules of a thread: those of the administrator, the user, and a trusted project. */
export async function openRules(
  effective: Effective,
  { home, writablePaths, ignoresRules }: Pick<ConfigSource, "home" | "writablePaths" | "ignoresRules">,
  cwd: string,
  log: Logger,
): Promise<RuleBook> {
  if (ignoresRules) return openRuleBook({ home, configFolders: [], ...requiredRules(effective) });
  const configured = effective.layers.flatMap(({ disabledReason, file }) =>
    disabledReason === undefined && file !== undefined ? [dirname(file.path)] : [],
  );
  const project = projectRuleFolders(effective, cwd);
  const believed = project.filter((folder) => !writablePaths.contains(folder));
  const configFolders = [...new Set([home, ...configured, ...believed])];
  const book = await openRuleBook({ home, configFolders, ...requiredRules(effective) });
  for (const fault of book.faults) {
    log.warn("a rules file could not be read", { fault: describeRulesFault(fault) });
  }
  return book;
}

/** The warning about rules that could not be read; null if all could. */
export function rulesWarning({ faults: [fault] }: RuleBook): ConfigWarningNotification | null {
  if (fault === undefined) return null;
  const { path, range } = fault;
  return {
    summary: "Error parsing rules; custom rules not applied.",
    details: describeRulesFault(fault),
    path,
    ...(range === null ? {} : { range }),
  };
}

/** The warning about the rules of the folder that the server was started in. */
export async function findRulesWarning(
  { cwd, log }: Host,
  config: ConfigSource,
): Promise<ConfigWarningNotification | null> {
  const read = await (await config.get()).effective();
  if (!read.ok) return null;
  try {
    return rulesWarning(await openRules(read.value, config, cwd, log));
  } catch (error) {
    return { summary: messageOf(error), details: null };
  }
}

function requiredRules({ requirements }: Effective): { readonly required?: RuleSet } {
  const given = requirements?.values.rules ?? null;
  if (given === null) return {};
  const read = toRequiredRules(given);
  if (!read.ok) throw new AppError("config.invalid", `${requirements?.file}: ${read.message}`);
  return { required: read.value };
}

/** The `.codex` folders of a trusted project, with or without a config.toml. */
export function projectRuleFolders({ trustLevel, values }: Effective, cwd: string): string[] {
  if (trustLevel !== "trusted") return [];
  const folders = findProjectFolders(cwd, rootMarkersOf(values));
  return folders.map((folder) => join(folder, ".codex"));
}
