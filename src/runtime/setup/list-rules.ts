/** The rules about commands that are in force in a folder, with the place and the origin of each. */
import { dirname } from "node:path";
import { isRefusal } from "../../base/refusal.ts";
import type { Rule, RuleFault } from "../../protocol/generated/types.ts";
import { type ConfigSource, SYSTEM_FOLDER } from "../configuration/config-source.ts";
import type { Host } from "../configuration/host.ts";
import { configOutcome, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { openRules, projectRuleFolders } from "./open-rules.ts";

export interface ListedRules {
  readonly rules: readonly Rule[];
  readonly faults: readonly RuleFault[];
}

export async function listRules(
  cwd: string,
  { config, host }: { readonly config: ConfigSource; readonly host: Pick<Host, "log"> },
): Promise<ListedRules | ThreadRefusal> {
  const effective = configOutcome(await (await config.get()).effective({ cwd }));
  if (isRefusal(effective)) return effective;
  const book = await openRules(effective, config, cwd, host.log);
  const project = new Set(projectRuleFolders(effective, cwd));
  const managedFile = effective.requirements?.file ?? null;
  const originOf = (file: string): Rule["origin"] => {
    const folder = dirname(dirname(file));
    if (folder === SYSTEM_FOLDER) return "managed";
    return project.has(folder) && folder !== config.home ? "project" : "user";
  };
  return {
    rules: book.rules().prefixRules.map(({ pattern, decision, justification, file, line }) => ({
      pattern: pattern.map((words) => [...words]),
      decision,
      justification,
      // Only the requirements of the administrator have rules outside of rules files.
      file: file ?? managedFile,
      line: line ?? null,
      origin: file === undefined ? "managed" : originOf(file),
    })),
    faults: book.faults.map(({ path, range, message }) => ({
      path,
      line: range?.start.line ?? null,
      message,
    })),
  };
}
