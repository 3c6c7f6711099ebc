/** Hooks of the time for which a thread is loaded: as it begins, and as it ends. */
import { createSharedAbort } from "../../base/shared-abort.ts";
import { ACCEPTED } from "../state/turn-state.ts";
import type { OwnInput } from "./hook-input.ts";
import type { HookedTurn } from "./hook-report.ts";
import { addContexts, type HookedThread, type ThreadHooks } from "./thread-hooks.ts";

export type SessionSource = OwnInput<"SessionStart">["source"];

/** What the session begins with, until the hooks of its beginning have run: they run within a turn. */
export interface PendingStart {
  /** It begins anew, as after a compaction. */
  set(source: SessionSource): void;
  /** Null where they have run; after this they have. */
  take(): SessionSource | null;
}

export function createPendingStart(first: SessionSource | null): PendingStart {
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

/** Runs the hooks of the session's beginning, where they have not run; false where one of them ends the turn. */
export async function startSession(
  thread: HookedThread & { readonly sessionStart: PendingStart },
  turn: HookedTurn,
): Promise<boolean> {
  const source = thread.sessionStart.take();
  if (source === null) return true;
  const { contexts, stop } = await thread.hooks.run("SessionStart", { source }, { turn });
  await addContexts(thread, turn, contexts);
  return stop === null;
}

/** Runs the hooks of its end, which belong to no turn. */
export async function endSession(
  hooks: ThreadHooks,
  turnId: string,
  lastTurnId: string | undefined,
): Promise<void> {
  if (!(await hooks.has("SessionEnd"))) return;
  const turn: HookedTurn = { id: turnId, abort: createSharedAbort(), state: ACCEPTED, advance() {} };
  await hooks.run("SessionEnd", { reason: "other" }, { turn, lastTurnId });
}
