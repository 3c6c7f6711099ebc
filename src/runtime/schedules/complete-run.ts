/**
 * Completes claimed runs: the thread exists, and its queue has the turn. Each step can be repeated by any server after
 * any crash. The id of a new thread is part of the claim, and the store lets one process make the thread, together with
 * its settings; the key of the run lets one row into the queue, also after that row has started.
 */
import type { Logger } from "../../base/logger.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Accepted } from "../../engine/state/accepted.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { ThreadStartParams } from "../../protocol/generated/types.ts";
import type { OpenRun, RunOutcome } from "../../store/schedules.ts";
import type { Store } from "../../store/store.ts";
import { NO_EXTENSIONS } from "../../tools/mcp/client-extensions.ts";
import type { ThreadRefusal } from "../configuration/thread-refusal.ts";
import { refuseQueueTarget } from "../queue/queue-target.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import type { LaneHolder } from "../threads/lane.ts";
import { senderOf } from "../threads/sender.ts";
import type { ThreadLoader } from "../threads/thread-loader.ts";

/** Creates threads, as the thread service does. */
export interface ThreadMaker {
  create(...call: Parameters<ThreadLoader["start"]>): Promise<Accepted<Thread> | ThreadRefusal>;
}

export interface RunParts {
  readonly engine: Pick<Engine, "find" | "unload">;
  readonly threads: ThreadMaker & LaneHolder;
  readonly store: () => Promise<Store>;
  readonly queue: () => Promise<Pick<TurnQueue, "add">>;
  readonly createId: () => string;
  readonly log: Logger;
}

/** A run stays open where another process is just completing it. */
export type Completion = RunOutcome | { readonly kind: "open" };

/** Closes the run unless it stays open. Rejects if the store fails; the run then stays open as well. */
export async function completeRun(run: OpenRun, parts: RunParts): Promise<Completion> {
  const { target } = run.work;
  const found = target.type === "newThread" ? await makeThread(run, target.params, parts) : null;
  if (found?.kind === "open") return found;
  if (found !== null) return close(run, found, parts);
  const refused = await refuseQueueTarget(run.threadId, parts);
  if (refused !== null) {
    if (target.type === "thread") await disable(run, refused.message, parts);
    return close(run, { kind: "failed", message: refused.message }, parts);
  }
  const queue = await parts.queue();
  return parts.threads.withLane(run.threadId, async (lane) => {
    const added = await queue.add(lane, {
      rowId: parts.createId(),
      clientUserMessageId: run.runKey,
      params: { ...run.work.turn, clientUserMessageId: run.runKey },
      notBeforeMs: null,
      source: "schedule",
    });
    if (added.kind === "full") return close(run, { kind: "failed", message: added.message }, parts);
    const rowId = added.kind === "started" ? added.started.rowId : added.row.rowId;
    const outcome = await close(run, { kind: "queued", rowId }, parts);
    if (added.kind !== "started") added.begin();
    return outcome;
  });
}

async function close(run: OpenRun, outcome: RunOutcome, { store, log }: RunParts): Promise<RunOutcome> {
  const isClosed = await (await store()).schedules.finish(run.runKey, outcome);
  const { scheduleId, threadId } = run;
  if (!isClosed) return outcome;
  if (outcome.kind === "failed")
    log.warn("a scheduled run has failed", { scheduleId, threadId, reason: outcome.message });
  else log.info("a scheduled run was queued", { scheduleId, threadId });
  return outcome;
}

/** Each further run would fail as well, until the thread or the schedule is changed. */
async function disable(
  { scheduleId, threadId }: OpenRun,
  reason: string,
  { store }: RunParts,
): Promise<void> {
  const { schedules } = await store();
  const schedule = await schedules.read(scheduleId);
  const target = schedule?.work.target;
  if (schedule?.state.kind !== "active" || target?.type !== "thread" || target.threadId !== threadId) return;
  const state = { kind: "disabled", reason } as const;
  // Not repeated if it was changed meanwhile: its next run decides again.
  await schedules.update(scheduleId, schedule.revision, { ...schedule, state, nextAtMs: null });
}

/** Makes the thread of a run with its settings, unless it exists; null once it does. */
async function makeThread(
  { threadId, scheduleId, work }: OpenRun,
  params: ThreadStartParams,
  { engine, threads, store, log }: RunParts,
): Promise<Completion | null> {
  if (engine.find(threadId) !== undefined) return null;
  if ((await (await store()).threads.read(threadId)) !== null) return null;
  const client = {
    subject: senderOf(work.turn),
    extensions: NO_EXTENSIONS,
    warn: ({ summary }: { readonly summary: string }) => log.warn(summary, { scheduleId, threadId }),
  };
  const made = await threads.create(params, client, { threadId });
  if (isRefusal(made)) return { kind: "failed", message: made.message };
  try {
    await made.value.persistSettings();
  } catch (error) {
    // Another process has made it, with its settings, or the store cannot be written: the run is tried again.
    engine.unload(threadId);
    log.info("the thread of a scheduled run was not made here", {
      scheduleId,
      threadId,
      error: String(error),
    });
    return { kind: "open" };
  }
  made.begin();
  return null;
}
