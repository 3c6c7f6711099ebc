import { dirname } from "node:path";
import type { Logger } from "../base/logger.ts";
import type { Effective } from "../config/get-effective.ts";
import { openRuleBook, type RuleBook } from "../tools/policy/rules/rule-book.ts";
import { describeRulesFault } from "../tools/policy/rules/rules-fault.ts";

/** The rules about commands that hold for a thread: those of every trusted layer of its configuration. */
export async function openRules({ layers }: Effective, home: string, log: Logger): Promise<RuleBook> {
  const folders = layers.flatMap((layer) => (layer.disabledReason === undefined ? folderOf(layer) : []));
  const book = await openRuleBook({ home, configFolders: [...new Set([home, ...folders])] });
  for (const fault of book.faults)
    log.warn("a rules file could not be read", { fault: describeRulesFault(fault) });
  return book;
}

function folderOf(layer: Effective["layers"][number]): string[] {
  return layer.file === undefined ? [] : [dirname(layer.file.path)];
}
