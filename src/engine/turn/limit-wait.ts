/**
 * A turn whose provider has reported an exhausted usage limit waits for the end of it. The wait is in the store before it
 * begins, and stays there until the provider has answered, so that a later process can continue the turn.
 */
import { wait as waitFor } from "../../base/clock.ts";
import type { SuspendedTurnFacts } from "../../store/lines/suspended-calls.ts";
import type { NewWait, Wait } from "../../store/waits.ts";
import type { TurnOrigin } from "../state/turn-origin.ts";
import type { FailedTurn } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** After this many waits without an answer between them, the turn fails with the last error. */
export const MAX_WAITS = 5;
/** The wall clock may be set and timers do not advance during sleep, so the time is checked at least this often. */
const CHECK_AGAIN_MS = 60_000;

/** Records the waits of a thread's turns. */
export interface WaitLog {
  /** Whether turns of this origin wait; others fail at once. */
  suspends(origin: TurnOrigin): boolean;
  /** A random delay after the end of a limit, so that threads with one limit do not send their requests at once. */
  spreadMs(): number;
  /** Null if the wait could not be recorded. */
  begin(wait: NewWait): Promise<HeldWait | null>;
}

/** A recorded wait of the active turn. */
export interface HeldWait {
  readonly wait: Wait;
  /** The time has come, and the provider has not answered yet. */
  isOver: boolean;
  /** Removes it from the store. */
  release(): Promise<void>;
}

export interface LimitWaits {
  /** Waits if the failure is a usage limit with an end. False if it is none, or the wait was aborted. */
  hold(failed: FailedTurn): Promise<boolean>;
  /** Continues the wait of an earlier process. False if it was aborted. */
  resume(held: HeldWait): Promise<boolean>;
  /** The provider has answered; null if there was no wait. */
  answered(): Promise<void> | null;
}

export function createLimitWaits(
  core: ThreadCore,
  turn: ActiveTurn,
  { waits }: TurnSetup,
  facts: () => SuspendedTurnFacts,
): LimitWaits {
  const { id: threadId, emit, clock, onEvent } = core;
  const { signal } = turn.abort;

  async function sleep(held: HeldWait): Promise<boolean> {
    turn.wait = held;
    onEvent({ type: "turnWaiting", turnId: turn.id, reason: held.wait.reason });
    while (!signal.aborted && clock.now() < held.wait.untilMs)
      await waitFor(clock, Math.min(CHECK_AGAIN_MS, held.wait.untilMs - clock.now()), signal);
    if (signal.aborted) return false;
    held.isOver = true;
    onEvent({ type: "turnResumed", turnId: turn.id });
    return true;
  }

  return {
    resume: sleep,
    async hold({ cause, error }) {
      const attempt = (turn.wait?.wait.attempt ?? 0) + 1;
      if (cause?.kind !== "usageLimit" || waits === null || turn.kind !== "user") return false;
      if (attempt > MAX_WAITS || !waits.suspends(turn.origin) || signal.aborted) return false;
      const untilMs = Math.max(cause.resetsAtMs, clock.now()) + waits.spreadMs();
      const { message } = error;
      const held = await waits.begin({ turn: facts(), reason: cause.kind, untilMs, attempt, message });
      if (held === null) return false;
      emit("error", { error, willRetry: true, threadId, turnId: turn.id });
      return sleep(held);
    },
    answered() {
      const held = turn.wait;
      turn.wait = null;
      return held === null ? null : held.release();
    },
  };
}
