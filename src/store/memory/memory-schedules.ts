/** Schedules and their runs in memory. */
import type { Clock } from "../../base/clock.ts";
import {
  type OpenRun,
  type ScheduledWork,
  type SchedulePlan,
  type Schedules,
  type StoredRun,
  type StoredSchedule,
  THREAD_DELETED,
} from "../schedules.ts";

interface LoggedRun extends StoredRun {
  readonly scheduleId: string;
  /** Null once it is closed. */
  readonly work: ScheduledWork | null;
}

export interface ScheduleMemory {
  readonly schedules: Map<string, Omit<StoredSchedule, "lastRun">>;
  /** In the order in which they were claimed. */
  runs: readonly LoggedRun[];
}

export const emptyScheduleMemory = (): ScheduleMemory => ({ schedules: new Map(), runs: [] });

export function createMemorySchedules(memory: ScheduleMemory, clock: Pick<Clock, "now">): Schedules {
  const { schedules } = memory;
  const show = (schedule: Omit<StoredSchedule, "lastRun">): StoredSchedule => {
    const last = memory.runs.findLast(({ scheduleId }) => scheduleId === schedule.scheduleId);
    return copy({ ...schedule, lastRun: last === undefined ? null : toRun(last) });
  };

  return {
    async add(schedule, maxSchedules) {
      if (schedules.size >= maxSchedules) return { kind: "full" };
      const now = clock.now();
      const added = { ...copy(schedule), revision: 1, createdAtMs: now, updatedAtMs: now };
      schedules.set(schedule.scheduleId, added);
      return { kind: "added", schedule: show(added) };
    },
    list: async ({ offset, limit }) => ({
      schedules: [...schedules.values()].slice(offset, offset + limit).map(show),
      total: schedules.size,
    }),
    async read(scheduleId) {
      const found = schedules.get(scheduleId);
      return found === undefined ? null : show(found);
    },
    async update(scheduleId, revision, plan) {
      const changed = change(memory, clock, { scheduleId, revision }, plan);
      return changed === null ? null : show(changed);
    },
    async remove(scheduleId) {
      memory.runs = memory.runs.filter((run) => run.scheduleId !== scheduleId);
      return schedules.delete(scheduleId);
    },
    due: async (limit) =>
      [...schedules.values()]
        .filter(({ nextAtMs }) => nextAtMs !== null && nextAtMs <= clock.now())
        .sort((one, other) => (one.nextAtMs ?? 0) - (other.nextAtMs ?? 0))
        .slice(0, limit)
        .map(show),
    async nextAtMs() {
      const times = [...schedules.values()].flatMap(({ nextAtMs }) => nextAtMs ?? []);
      return times.length === 0 ? null : Math.min(...times);
    },
    async claim(scheduleId, revision, { runs, ...next }) {
      const claimed = change(memory, clock, { scheduleId, revision }, next);
      if (claimed === null) return false;
      const fresh = { scheduleId, claimedAtMs: clock.now(), outcome: null, work: claimed.work };
      memory.runs = [...memory.runs, ...runs.map((run) => ({ ...run, ...fresh }))];
      return true;
    },
    async openRuns({ minAgeMs, limit }) {
      const isOld = (ageMs: number): boolean => ageMs >= minAgeMs || ageMs < 0;
      return memory.runs
        .filter(({ work, claimedAtMs }) => work !== null && isOld(clock.now() - claimedAtMs))
        .slice(0, limit)
        .flatMap(toOpenRun);
    },
    async finish(runKey, outcome) {
      const open = memory.runs.find((run) => run.runKey === runKey && run.work !== null);
      if (open === undefined) return false;
      const closed = memory.runs.map((run) => (run === open ? { ...run, outcome, work: null } : run));
      const isClosed = (run: LoggedRun) => run.scheduleId === open.scheduleId && run.work === null;
      const last = closed.findLast(isClosed);
      // Only the last closed run is shown.
      memory.runs = closed.filter((run) => !isClosed(run) || run === last);
      return true;
    },
  };
}

/** Disables the schedules of a deleted thread. */
export function disableSchedules(memory: ScheduleMemory, clock: Pick<Clock, "now">, threadId: string): void {
  for (const { scheduleId, revision, work } of memory.schedules.values()) {
    if (work.target.type !== "thread" || work.target.threadId !== threadId) continue;
    const state = { kind: "disabled", reason: THREAD_DELETED } as const;
    change(memory, clock, { scheduleId, revision }, { state, nextAtMs: null });
  }
}

/** The changed schedule; null if it is gone, or has another revision. */
function change(
  { schedules }: ScheduleMemory,
  clock: Pick<Clock, "now">,
  { scheduleId, revision }: Pick<StoredSchedule, "scheduleId" | "revision">,
  plan: Partial<SchedulePlan>,
): Omit<StoredSchedule, "lastRun"> | null {
  const before = schedules.get(scheduleId);
  if (before?.revision !== revision) return null;
  const changed = { ...before, ...copy(plan), revision: revision + 1, updatedAtMs: clock.now() };
  schedules.set(scheduleId, changed);
  return changed;
}

function toRun({ runKey, scheduledAtMs, threadId, claimedAtMs, outcome }: LoggedRun): StoredRun {
  return { runKey, scheduledAtMs, threadId, claimedAtMs, outcome };
}

function toOpenRun({ scheduleId, work, outcome: _closed, ...run }: LoggedRun): OpenRun[] {
  return work === null ? [] : [{ ...run, scheduleId, work }];
}

/** A deep copy by JSON, so that later mutations by the caller have no effect. */
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
