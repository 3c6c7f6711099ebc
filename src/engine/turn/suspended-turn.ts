import type { HookRunSummary } from "../../protocol/generated/types.ts";
import type { ContinuedCalls } from "./call-batch.ts";

/** A turn that an earlier process has left waiting for an answer. */
export interface SuspendedTurn {
  readonly calls: ContinuedCalls;
  /** Its hook runs so far. */
  readonly hookRuns: readonly HookRunSummary[];
}
