/** Hooks at the end of a turn's work: what they say makes the model go on, as one message of the user. */

import { DEFAULT_HOOK_TEXT_LIMIT } from "../../hooks/spill.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { toHookPromptMessage } from "../../store/lines/hook-prompt.ts";
import { createItemReporter } from "../items/item-reporter.ts";
import { newMessageId } from "../items/response-items.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";

/** The end of one turn's work, as often as hooks put it off. */
export interface StopHooks {
  /** True where the model has to go on; it has been told why. */
  shouldContinue(lastMessage: ThreadItem | null): Promise<boolean>;
}

export function createStopHooks(core: ThreadCore, turn: ActiveTurn, maxContinuations: number): StopHooks {
  const { id: threadId, hooks, history, emit, clock } = core;
  let continuations = 0;

  return {
    async shouldContinue(lastMessage) {
      const decision = await hooks.run(
        "Stop",
        {
          stop_hook_active: continuations > 0,
          stop_hook_continuations: continuations,
          last_assistant_message: lastMessage?.type === "agentMessage" ? lastMessage.text : null,
        },
        { turn },
      );
      if (decision.kind !== "continue" || turn.abort.signal.aborted) return false;
      if (continuations >= maxContinuations) {
        emit("warning", { threadId, message: limitReached(maxContinuations) });
        return false;
      }
      const fragments = await Promise.all(
        decision.prompts.map(async ({ runId, text }) => ({
          text: await hooks.shorten({ text, limit: DEFAULT_HOOK_TEXT_LIMIT }),
          hookRunId: runId,
        })),
      );
      const id = newMessageId(core.createId);
      const message = toHookPromptMessage(fragments, id);
      if (message === null) return false;
      continuations += 1;
      history.record(turn.id, [message]);
      const report = createItemReporter({ threadId, turnId: turn.id, emit, clock });
      report.complete({ type: "hookPrompt", id, fragments });
      return true;
    },
  };
}

function limitReached(limit: number): string {
  return `Stop hooks have made the turn go on ${limit} times in a row, and wanted it once more: the turn ends here. hooks.max_continuations in config.toml sets how often they may.`;
}
