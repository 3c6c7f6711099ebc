/**
 * Wakes a thread by an asynchronous hook: what the hook wrote is queued as a turn, which is durable from then on, and
 * starts when the thread is idle. Hooks pass on the output of other programs, so that their text is untrusted as well.
 */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { LaneHolder } from "../threads/lane.ts";
import { delimitUntrusted } from "./delimit-untrusted.ts";
import { MAX_WAKE_BODY } from "./wake-limits.ts";
import { createWakeRate } from "./wake-rate.ts";
import { type WakeParts, wakeThread } from "./wake-thread.ts";

export interface HookWakeOptions extends WakeParts {
  readonly threads: LaneHolder;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Logger;
  /** Returns a word that cannot be guessed. */
  readonly createNonce: () => string;
}

export type WakeByHook = (
  threadId: string,
  wake: { readonly key: string; readonly text: string },
) => Promise<void>;

const SILENT = "(The hook has written nothing.)";

export function createWakeByHook(options: HookWakeOptions): WakeByHook {
  const { threads, log, createNonce } = options;
  const rate = createWakeRate(options.clock);
  return async (threadId, { key, text }) => {
    // A hook that is run by the turn that it has caused would never end.
    if (rate.take(threadId) > 0) {
      log.warn("a hook did not wake its thread: it has done so too often", { threadId });
      return;
    }
    const said = delimitUntrusted(text.slice(0, MAX_WAKE_BODY) || SILENT, createNonce);
    const event = { source: "hook", key, input: [{ type: "text" as const, text: said }] };
    await threads.withLane(threadId, async (lane) => {
      const woken = await wakeThread(lane, event, options);
      const fault = isRefusal(woken) ? woken : woken.outcome;
      if (isRefusal(fault) || fault.kind === "full")
        log.warn("a hook could not wake its thread", { threadId, reason: fault.message });
      else if (fault.kind !== "started") fault.begin();
    });
  };
}
