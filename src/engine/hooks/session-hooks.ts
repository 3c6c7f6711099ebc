/** SessionStart and SessionEnd hooks, which run when a thread is loaded and unloaded. */
import type { Awaitable } from "../../base/awaitable.ts";
import { createSharedAbort } from "../../base/shared-abort.ts";
import { ACCEPTED } from "../state/turn-state.ts";
import type { OwnInput } from "./hook-input.ts";
import type { HookedTurn } from "./hook-report.ts";
import { addContexts, type HookedThread, type ThreadHooks } from "./thread-hooks.ts";

export type SessionStartSource = OwnInput<"SessionStart">["source"];

/** The source of a session whose SessionStart hooks have yet to run: they run within the next turn. */
export interface PendingStart {
  /** Starts the session anew, as after a compaction. */
  set(source: SessionStartSource): void;
  /** Returns the source and clears it; null where the hooks have run. */
  take(): SessionStartSource | null;
}

export function createPendingStart(first: SessionStartSource | null): PendingStart {
  let pending = first;
  return {
    set(source) {
      pending = source;
    },
    take() {
      const source = pending;
      pending = null;
      return source;
    },
  };
}

/** Runs the SessionStart hooks if they are pending; false where one of them ends the turn. */
export function startSession(
  thread: HookedThread & { readonly sessionStart: PendingStart },
  turn: HookedTurn,
): Awaitable<boolean> {
  const source = thread.sessionStart.take();
  return source === null ? true : runSessionStart(thread, turn, source);
}

async function runSessionStart(
  thread: HookedThread,
  turn: HookedTurn,
  source: SessionStartSource,
): Promise<boolean> {
  const { contexts, stop } = await thread.hooks.run("SessionStart", { source }, { turn });
  await addContexts(thread, turn, contexts);
  return stop === null;
}

/** Runs the SessionEnd hooks, which belong to no turn. */
export async function endSession(
  hooks: ThreadHooks,
  turnId: string,
  lastTurnId: string | undefined,
): Promise<void> {
  if (!(await hooks.has("SessionEnd"))) return;
  const turn: HookedTurn = { id: turnId, abort: createSharedAbort(), state: ACCEPTED, advance() {} };
  await hooks.run("SessionEnd", { reason: "other" }, { turn, lastTurnId });
}
