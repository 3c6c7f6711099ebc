/** Schedules of a home: made, changed and deleted by clients, and run by whichever server looks first. */
import { isRefusal, refusal } from "../../base/refusal.ts";
import type { ScheduleCreateParams, ScheduleUpdateParams } from "../../protocol/generated/types.ts";
import type {
  OpenRun,
  ScheduleList,
  SchedulePage,
  StoredRun,
  StoredSchedule,
} from "../../store/schedules.ts";
import type { Store } from "../../store/store.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import type { RuntimeDeps } from "../setup/runtime-deps.ts";
import { claimNow } from "./claim-runs.ts";
import type { Completion } from "./complete-run.ts";
import { type PlanParams, readName, readPlan } from "./read-plan.ts";
import { MAX_SCHEDULES } from "./schedule-limits.ts";
import { ownerOf, showSchedule } from "./schedule-view.ts";

export interface ScheduleService {
  /** The schedule and the threads that it creates are those of `subject`. */
  create(params: ScheduleCreateParams, subject: string | null): Promise<StoredSchedule | ThreadRefusal>;
  list(page: SchedulePage): Promise<ScheduleList>;
  /** Null if there is no such schedule. */
  read(scheduleId: string): Promise<StoredSchedule | null>;
  update(params: ScheduleUpdateParams): Promise<StoredSchedule | ThreadRefusal>;
  /** False if there is no such schedule. */
  remove(scheduleId: string): Promise<boolean>;
  /** Queues a run beside the times of the schedule. */
  runNow(scheduleId: string): Promise<StoredRun | ThreadRefusal>;
}

export interface ScheduleServiceOptions {
  readonly deps: Pick<RuntimeDeps, "engine" | "config" | "host">;
  readonly store: () => Promise<Store>;
  readonly complete: (run: OpenRun) => Promise<Completion>;
}

/** A server may claim a run while a client changes the schedule. */
const MAX_TRIES = 5;
const CHANGED: ThreadRefusal = refuseInvalid("the schedule was changed meanwhile: read it and try again");

const unknownSchedule = (scheduleId: string): ThreadRefusal =>
  refusal("invalidRequest", `there is no schedule ${scheduleId}`);

export function createScheduleService({ deps, store, complete }: ScheduleServiceOptions): ScheduleService {
  const { engine, host } = deps;
  const { clock, createId } = host;
  const schedules = async () => (await store()).schedules;
  const read = (params: PlanParams, lastAtMs: number) =>
    readPlan(params, lastAtMs, { engine, store, resolution: deps, nowMs: clock.now() });

  async function attempt<T>(
    scheduleId: string,
    change: (schedule: StoredSchedule) => Promise<T | null>,
  ): Promise<T | ThreadRefusal> {
    for (let left = MAX_TRIES; left > 0; left -= 1) {
      const schedule = await (await schedules()).read(scheduleId);
      if (schedule === null) return unknownSchedule(scheduleId);
      const changed = await change(schedule);
      if (changed !== null) return changed;
    }
    return CHANGED;
  }

  return {
    async create({ paused = false, ...params }, subject) {
      const plan = await read({ ...params, isPaused: paused, sentBy: subject }, 0);
      if (isRefusal(plan)) return plan;
      const added = await (await schedules()).add({ scheduleId: createId(), ...plan }, MAX_SCHEDULES);
      if (added.kind === "added") return added.schedule;
      return refuseInvalid(`there are ${MAX_SCHEDULES} schedules already: delete one first`);
    },
    read: async (scheduleId) => (await schedules()).read(scheduleId),
    list: async (page) => (await schedules()).list(page),
    update: ({ scheduleId, ...change }) =>
      attempt(scheduleId, async (schedule): Promise<StoredSchedule | ThreadRefusal | null> => {
        const plan = await changePlan(schedule, change, read);
        return isRefusal(plan) ? plan : (await schedules()).update(scheduleId, schedule.revision, plan);
      }),
    remove: async (scheduleId) => (await schedules()).remove(scheduleId),
    async runNow(scheduleId) {
      const parts = { schedules: await schedules(), clock, createId };
      const run = await attempt(scheduleId, (schedule) => claimNow(schedule, parts));
      if (isRefusal(run)) return run;
      const { runKey, scheduledAtMs, threadId, claimedAtMs } = run;
      const completion = await complete(run);
      const outcome = completion.kind === "open" ? null : completion;
      return { runKey, scheduledAtMs, threadId, claimedAtMs, outcome };
    },
  };
}

type Read = (params: PlanParams, lastAtMs: number) => ReturnType<typeof readPlan>;

type Change = Omit<ScheduleUpdateParams, "scheduleId">;

async function changePlan(schedule: StoredSchedule, change: Change, read: Read): ReturnType<typeof readPlan> {
  const name = change.name == null ? schedule.name : readName(change.name);
  if (isRefusal(name)) return name;
  const kept = { ...schedule, name, missed: change.missedRuns ?? schedule.missed };
  if (needsReading(schedule, change)) return readChange(kept, change, read);
  return change.paused === true ? { ...kept, state: { kind: "paused" }, nextAtMs: null } : kept;
}

/** A schedule that does not begin to run is not checked again: it may be renamed although its thread is gone. */
function needsReading({ state }: StoredSchedule, { schedule, target, input, paused }: Change): boolean {
  const isResumed = paused === false && state.kind !== "active";
  return isResumed || schedule != null || target != null || input != null;
}

async function readChange(schedule: StoredSchedule, change: Change, read: Read): ReturnType<typeof readPlan> {
  const isPaused = change.paused ?? schedule.state.kind !== "active";
  const present = showSchedule(schedule);
  const params = {
    name: schedule.name,
    schedule: change.schedule ?? present.schedule,
    target: change.target ?? present.target,
    input: change.input ?? present.input,
    missedRuns: schedule.missed,
    sentBy: ownerOf(schedule),
    isPaused,
  };
  const plan = await read(params, schedule.lastRun?.scheduledAtMs ?? 0);
  // A schedule that the server has stopped stays stopped until it is resumed.
  const keepsState = isPaused && change.paused !== true;
  return isRefusal(plan) || !keepsState ? plan : { ...plan, state: schedule.state };
}
