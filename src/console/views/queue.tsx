/** The turns that wait, thread by thread, and the schedules that add more of them. */
import { useEffect } from "preact/hooks";
import { allQueues, areQueuesLoaded, followQueues, queuesFailure, turnCount } from "../state/queue.ts";
import { ActFailure } from "../ui/act-button.tsx";
import { Empty, Failure, Loading } from "../ui/states.tsx";
import { QueueCard } from "./queue-card.tsx";
import { NewSchedule } from "./schedule-dialog.tsx";
import { Schedules } from "./schedules.tsx";

export function Queue() {
  useEffect(followQueues, []);
  return (
    <>
      <h1 class="sr">Queue</h1>
      <div class="head">
        <h2 class="h1">Queue and schedules</h2>
        <span class="sub desk">{summary()}</span>
        <span class="grow" />
        <NewSchedule />
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Queues and schedules">
        <div class="pad stack wide">
          <ActFailure />
          {queuesFailure.value !== null && <Failure message={queuesFailure.value} />}
          {!areQueuesLoaded.value && <Loading />}
          {areQueuesLoaded.value && queuesFailure.value === null && allQueues.value.length === 0 && (
            <Empty icon="queue" title="No turn waits">
              <p>A turn that is queued while its thread is busy appears here, and starts by itself.</p>
            </Empty>
          )}
          {allQueues.value.map((queue) => (
            <QueueCard key={queue.threadId} queue={queue} />
          ))}
          <Schedules />
        </div>
      </div>
    </>
  );
}

function summary(): string {
  const [turns, threads] = [turnCount.value, allQueues.value.length];
  if (turns === 0) return "";
  return `${turns} ${turns === 1 ? "turn" : "turns"} in ${threads} ${threads === 1 ? "thread" : "threads"}`;
}
