/** Queues a turn for an event from outside. The key makes it one turn, however often the event is delivered. */
import { isRefusal } from "../../base/refusal.ts";
import type { UserInput } from "../../protocol/generated/types.ts";
import type { NewRow } from "../../store/queue.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { readQueuedInput } from "../queue/queue-entry.ts";
import { refuseQueueTarget, type TargetParts } from "../queue/queue-target.ts";
import type { AddedRow, FullQueue, StartedBefore, TurnQueue } from "../queue/turn-queue.ts";
import type { LaneHeld } from "../threads/lane.ts";
import { type Signed, sign } from "../threads/sender.ts";
import { MAX_WAKE_KEY } from "./wake-limits.ts";

export interface WakeEvent extends Signed {
  /** Whose keys these are: the key of one source is never that of another one. */
  readonly source: string;
  readonly key: string;
  readonly input: readonly UserInput[];
}

export interface WakeParts extends TargetParts {
  readonly queue: () => Promise<Pick<TurnQueue, "add">>;
  readonly createId: () => string;
}

/** The row is the one that was asked for, also where nothing was added. */
export type Woken = { readonly row: NewRow } & {
  readonly outcome: AddedRow | StartedBefore | FullQueue;
};

export async function wakeThread(
  lane: LaneHeld,
  { source, key, input, sentBy = null }: WakeEvent,
  parts: WakeParts,
): Promise<Woken | ThreadRefusal> {
  if (key === "" || key.length > MAX_WAKE_KEY)
    return refuseInvalid(`the key of an event must have 1 to ${MAX_WAKE_KEY} characters`);
  const refused = await refuseQueueTarget(lane.check(), parts);
  if (refused !== null) return refused;
  const kept = await readQueuedInput(input);
  if (isRefusal(kept)) return kept;
  const clientUserMessageId = `${source}:${key}`;
  const row: NewRow = {
    rowId: parts.createId(),
    clientUserMessageId,
    params: sign({ input: kept, clientUserMessageId }, sentBy),
    notBeforeMs: null,
    source: "event",
  };
  return { row, outcome: await (await parts.queue()).add(lane, row) };
}
