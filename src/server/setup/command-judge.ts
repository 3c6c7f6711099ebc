import type { Environment } from "../../base/environment.ts";
import type { Logger } from "../../base/logger.ts";
import type { Judge } from "../../engine/approvals/judge.ts";
import { type ThreadSettings, workspaceRootOf } from "../../engine/state/settings.ts";
import { decideRetry } from "../../policy/approval-policy.ts";
import { decideCommand } from "../../policy/decide-command.ts";
import { boundsOfPatches, decideFileChange } from "../../policy/decide-file-change.ts";
import { decideWithoutSandbox } from "../../policy/decide-retry.ts";
import { createCommandReader } from "../../policy/read-command.ts";
import type { RuleBook } from "../../policy/rules/rule-book.ts";
import { commandGrant, fileGrant } from "../../policy/session-grants.ts";
import type { ShellGrammar } from "../../policy/shell/shell-grammar.ts";
import { createSteeringCheck } from "../../policy/steering/can-be-steered.ts";
import type { Guard } from "../../sandbox/guard.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { WritablePlaces } from "../../sandbox/writable-places.ts";

export interface JudgeOptions {
  readonly env: Environment;
  readonly log: Logger;
  readonly grammar: () => Promise<ShellGrammar>;
  readonly sandbox: () => Promise<Sandbox>;
  readonly places: WritablePlaces;
  readonly guard: Guard;
  readonly rules: () => Promise<RuleBook>;
  /** What the user has allowed for the rest of the session; it outlives a change of settings. */
  readonly grants: Set<string>;
  /** Whether commands that only read are run unasked also under the policy `untrusted`. */
  readonly trustsReaders: boolean;
}

/** Judges by the settings of a thread. */
export function createJudge(settings: ThreadSettings, options: JudgeOptions): Judge {
  const { env, grants, trustsReaders, guard, places } = options;
  const { approvalPolicy: policy, sandbox: policySandbox } = settings;
  const cwd = workspaceRootOf(settings);
  const bounds = () => boundsOfPatches({ sandbox: policySandbox, cwd, env, guard });
  const canBeSteered = createSteeringCheck({ env, bounds, isWritten: places.cover });
  return {
    allowsRetries: decideRetry(policy, false).kind !== "leave",
    async command(request) {
      const [grammar, { ability }, { rules }] = await Promise.all([
        options.grammar(),
        options.sandbox(),
        options.rules(),
      ]);
      const { argv, tty, shell, escalated, wantedPrefix, afterDenial } = request;
      const command = {
        argv,
        cwd: request.cwd,
        tty,
        shell,
        policy,
        sandbox: policySandbox,
        sandboxAbility: ability,
        escalated,
        justification: request.reason,
        wantedPrefix,
        rules,
        sessionGrants: grants,
        trustsReaders,
        canBeSteered,
      };
      return afterDenial === null
        ? decideCommand(grammar, command)
        : decideWithoutSandbox(grammar, command, afterDenial === "approved");
    },
    fileChange(paths) {
      const outcome = bounds();
      // What the server writes for the model is the model's as much as what a command writes.
      if (outcome.kind === "bounded") places.note(outcome.bounds);
      return decideFileChange({ paths, policy, bounds: outcome, sessionGrants: grants });
    },
    async grantCommand(request) {
      const escalated = request.escalated || request.afterDenial !== null;
      grants.add(commandGrant(createCommandReader(await options.grammar()), { ...request, escalated }));
    },
    grantFiles(paths) {
      for (const path of paths) grants.add(fileGrant(path));
    },
    allowPrefix: async (prefix) => (await options.rules()).allow(prefix),
  };
}
