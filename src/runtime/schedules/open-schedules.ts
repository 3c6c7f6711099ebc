/** The schedules of a server: what clients ask for, and what runs in the background. */
import { inBackground } from "../../base/tasks.ts";
import type { EmitFor } from "../../engine/state/events.ts";
import type { OpenRun, StoredSchedule } from "../../store/schedules.ts";
import type { QueuedTurns } from "../queue/queued-turns.ts";
import type { RuntimeDeps } from "../setup/runtime-deps.ts";
import type { LaneHolder } from "../threads/lane.ts";
import type { WebhookEvent } from "../webhooks/webhook-events.ts";
import { type BackgroundSchedules, createBackgroundSchedules } from "./background-schedules.ts";
import { completeRun, type ThreadMaker } from "./complete-run.ts";
import { createScheduleService, type ScheduleService } from "./schedule-service.ts";
import { showSchedule } from "./schedule-view.ts";

export interface OpenSchedules {
  readonly service: ScheduleService;
  readonly background: BackgroundSchedules;
  /** Notifies clients of the present state of a schedule, and checks whether it is due. */
  changed(scheduleId: string): void;
}

export interface OpenSchedulesOptions {
  readonly threads: ThreadMaker & LaneHolder;
  readonly queue: QueuedTurns["get"];
  readonly emit: EmitFor;
}

/** The notification concerns no thread. */
const NO_THREAD = "";

export function openSchedules(
  deps: RuntimeDeps,
  { threads, queue, emit }: OpenSchedulesOptions,
): OpenSchedules {
  const { clock, createId, log } = deps.host;
  const store = deps.store.get;
  const schedules = async () => (await store()).schedules;
  const complete = (run: OpenRun) =>
    completeRun(run, { engine: deps.engine, threads, store, queue, createId, log });

  async function publish(scheduleId: string): Promise<void> {
    const schedule = await (await schedules()).read(scheduleId);
    const shown = schedule === null ? null : showSchedule(schedule);
    emit(NO_THREAD, "schedule/changed", { scheduleId, schedule: shown });
  }

  const onChange = (scheduleId: string): void =>
    inBackground(log, "notifying clients of a schedule", publish(scheduleId));

  const onMissed = (schedule: StoredSchedule, dueAtMs: number): void =>
    inBackground(log, "announcing a missed schedule", deps.announcements.announce(missed(schedule, dueAtMs)));

  const background = createBackgroundSchedules({
    schedules,
    complete,
    onChange,
    onMissed,
    clock,
    createId,
    log,
  });
  return {
    service: createScheduleService({ deps, store, complete }),
    background,
    changed(scheduleId) {
      onChange(scheduleId);
      background.check();
    },
  };
}

function missed({ scheduleId, name, work }: StoredSchedule, dueAtMs: number): WebhookEvent {
  const { target } = work;
  return {
    type: "schedule.missed",
    eventId: `evt_${scheduleId}-${dueAtMs}`,
    threadId: target.type === "thread" ? target.threadId : null,
    reason: "no server ran it at its time",
    text: name,
    facts: { scheduleId, dueAt: new Date(dueAtMs).toISOString() },
  };
}
