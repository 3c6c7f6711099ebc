/** Schedules of a home: made, changed and deleted by clients, and run by whichever server looks first. */
import { isRefusal, refusal } from "../../base/refusal.ts";
import type {
  ScheduleCreateParams,
  ScheduleUpdateParams,
  Schedule as ScheduleView,
} from "../../protocol/generated/types.ts";
import type { OpenRun, Schedule, ScheduleList, SchedulePage, ScheduleRun } from "../../store/schedules.ts";
import type { Store } from "../../store/store.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import type { RuntimeDeps } from "../setup/runtime-deps.ts";
import { claimNow } from "./claim-runs.ts";
import type { Completion } from "./complete-run.ts";
import { type PlanParams, readName, readPlan } from "./read-plan.ts";
import { MAX_SCHEDULES } from "./schedule-limits.ts";
import { showSchedule } from "./schedule-view.ts";

export interface ScheduleService {
  create(params: ScheduleCreateParams): Promise<Schedule | ThreadRefusal>;
  list(page: SchedulePage): Promise<ScheduleList>;
  update(params: ScheduleUpdateParams): Promise<Schedule | ThreadRefusal>;
  /** False if there is no such schedule. */
  remove(scheduleId: string): Promise<boolean>;
  /** Queues a run beside the times of the schedule. */
  runNow(scheduleId: string): Promise<ScheduleRun | ThreadRefusal>;
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
    change: (schedule: Schedule) => Promise<T | null>,
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
    async create({ paused = false, ...params }) {
      const plan = await read({ ...params, isPaused: paused }, 0);
      if (isRefusal(plan)) return plan;
      const added = await (await schedules()).add({ scheduleId: createId(), ...plan }, MAX_SCHEDULES);
      if (added.kind === "added") return added.schedule;
      return refuseInvalid(`there are ${MAX_SCHEDULES} schedules already: delete one first`);
    },
    list: async (page) => (await schedules()).list(page),
    update: ({ scheduleId, ...change }) =>
      attempt(scheduleId, async (schedule): Promise<Schedule | ThreadRefusal | null> => {
        const plan = await changePlan(schedule, change, read);
        return isRefusal(plan) ? plan : (await schedules()).update(scheduleId, schedule.revision, plan);
      }),
    remove: async (scheduleId) => (await schedules()).remove(scheduleId),
    async runNow(scheduleId) {
      const parts = { schedules: await schedules(), clock, createId };
      const run = await attempt(scheduleId, (schedule) => claimNow(schedule, parts));
      if (isRefusal(run)) return run;
      const { runKey, scheduledAtMs, threadId } = run;
      const completion = await complete(run);
      const outcome = completion.kind === "open" ? null : completion;
      return { runKey, scheduledAtMs, threadId, claimedAtMs: scheduledAtMs, outcome };
    },
  };
}

type Read = (params: PlanParams, lastAtMs: number) => ReturnType<typeof readPlan>;

/** What does not run is not read again: a paused schedule may be renamed although its thread is gone. */
async function changePlan(
  schedule: Schedule,
  change: Omit<ScheduleUpdateParams, "scheduleId">,
  read: Read,
): ReturnType<typeof readPlan> {
  const { paused, name } = change;
  const isStopped = schedule.state.kind !== "active";
  const isReplaced = change.schedule != null || change.target != null || change.input != null;
  const isPaused = paused ?? isStopped;
  const missed = change.missedRuns ?? schedule.missed;
  const given = name == null ? schedule.name : readName(name);
  if (isRefusal(given)) return given;
  const renamed = { name: given, missed };
  if (!isReplaced && (isPaused || !isStopped)) {
    if (!isPaused || paused !== true) return { ...schedule, ...renamed };
    return { ...schedule, ...renamed, state: { kind: "paused" }, nextAtMs: null };
  }
  const now = showSchedule(schedule) satisfies ScheduleView;
  const plan = await read(
    {
      name: renamed.name,
      schedule: change.schedule ?? now.schedule,
      target: change.target ?? now.target,
      input: change.input ?? now.input,
      missedRuns: missed,
      isPaused,
    },
    schedule.lastRun?.scheduledAtMs ?? 0,
  );
  // What the server has stopped stays so until it is resumed.
  return isRefusal(plan) || !isPaused || paused === true ? plan : { ...plan, state: schedule.state };
}
