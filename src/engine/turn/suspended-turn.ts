import type { HookRunSummary } from "../../protocol/generated/types.ts";
import type { EventState } from "../../store/lines/thread-events.ts";
import type { ContinuedCalls } from "./call-batch.ts";

/** A turn that an earlier process has left waiting for an answer. */
export interface SuspendedTurn {
  readonly calls: ContinuedCalls;
  /** Its hook runs so far. */
  readonly hookRuns: readonly HookRunSummary[];
  /** The state from which the durable events of its further lines are made. */
  readonly eventState: EventState;
}
