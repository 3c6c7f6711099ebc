/**
 * Runs schedules without a client: claims what is due, and completes what it or a dead server has claimed. One timer
 * serves all schedules. Several servers may serve one home: the claim decides which of them runs a time.
 */

import { createAlarm } from "../../base/alarm.ts";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { inBackground } from "../../base/tasks.ts";
import type { OpenRun, Schedules, StoredSchedule } from "../../store/schedules.ts";
import { claimDue } from "./claim-runs.ts";
import type { Completion } from "./complete-run.ts";
import { MISSED_AFTER_MS } from "./schedule-limits.ts";

export interface BackgroundSchedules {
  start(): void;
  /** Checks for schedules that are due. */
  check(): void;
  /** Claims nothing more. Claimed runs that are not complete stay open for the next server. */
  stop(): void;
}

export interface BackgroundSchedulesOptions {
  readonly schedules: () => Promise<Schedules>;
  readonly complete: (run: OpenRun) => Promise<Completion>;
  /** Called with a schedule that was claimed, or whose run was completed. */
  readonly onChange: (scheduleId: string) => void;
  /** Called with a schedule that no server has run at its time; several servers may call it for the same time. */
  readonly onMissed: (schedule: StoredSchedule, dueAtMs: number) => void;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
}

/** Other processes announce no changes, so that a schedule that they make starts at most so much later. */
export const RECHECK_MS = 5000;
/** After this time an open run counts as abandoned. Completing it twice does no harm. */
export const ABANDONED_AFTER_MS = 10_000;
/** A run that could not be completed for so long has failed. */
export const GIVE_UP_AFTER_MS = 3_600_000;
/** Schedules that are read at a time. */
const DUE_AT_ONCE = 50;
/** Open runs that are taken over at a time. */
const OPEN_AT_ONCE = 100;
/** Runs that are completed concurrently. */
export const MAX_COMPLETING = 4;

export function createBackgroundSchedules(options: BackgroundSchedulesOptions): BackgroundSchedules {
  const { clock, log, createId, onChange, onMissed } = options;
  const completing = createCompleting(options);
  const alarm = createAlarm(clock, { recheckMs: RECHECK_MS, onTime: check });
  let state: "off" | "on" | "stopped" = "off";
  let checking: "no" | "yes" | "again" = "no";
  let isFirst = true;

  async function checkNow(): Promise<void> {
    try {
      const schedules = await options.schedules();
      do {
        checking = "yes";
        await completeOpen(schedules);
        await claimAll(schedules);
      } while (mustCheckAgain());
      // Null as well: another process may make the first schedule.
      const nextAtMs = (await schedules.nextAtMs()) ?? Infinity;
      if (state === "on") alarm.set(nextAtMs);
    } catch (error) {
      log.error("due schedules could not be read", { error: messageOf(error) });
      if (state === "on") alarm.set(Infinity);
    } finally {
      checking = "no";
    }
  }

  const mustCheckAgain = (): boolean => checking === "again" && state === "on";

  /** Runs whose server has died. When this one starts, also those that it has left itself. */
  async function completeOpen(schedules: Schedules): Promise<void> {
    const minAgeMs = isFirst ? 0 : ABANDONED_AFTER_MS;
    const open = await schedules.openRuns({ minAgeMs, limit: OPEN_AT_ONCE });
    for (const run of open) completing.add(run);
    isFirst = false;
  }

  async function claimAll(schedules: Schedules): Promise<void> {
    let due: readonly StoredSchedule[];
    do {
      due = await schedules.due(DUE_AT_ONCE);
      for (const schedule of due) {
        if (state !== "on") return;
        const { nextAtMs: dueAtMs } = schedule;
        const runs = await claimDue(schedule, { schedules, clock, createId });
        if (dueAtMs !== null && clock.now() - dueAtMs > MISSED_AFTER_MS) onMissed(schedule, dueAtMs);
        onChange(schedule.scheduleId);
        for (const run of runs) completing.add(run);
      }
    } while (due.length === DUE_AT_ONCE);
  }

  function check(): void {
    if (state !== "on") return;
    if (checking !== "no") {
      checking = "again";
      return;
    }
    inBackground(log, "checking for due schedules", checkNow());
  }

  return {
    start() {
      if (state !== "off") return;
      state = "on";
      check();
    },
    check,
    stop() {
      state = "stopped";
      alarm.stop();
      completing.stop();
    },
  };
}

/** Completes runs, `MAX_COMPLETING` at a time. One that stays open is found again once it counts as abandoned. */
function createCompleting({ schedules, complete, onChange, clock, log }: BackgroundSchedulesOptions) {
  const waiting = new Map<string, OpenRun>();
  const inProgress = new Set<string>();
  let isStopped = false;

  async function run(open: OpenRun): Promise<void> {
    try {
      await complete(open);
      onChange(open.scheduleId);
    } catch (error) {
      if (!isStopped) await failed(open, messageOf(error));
    } finally {
      inProgress.delete(open.runKey);
      begin();
    }
  }

  async function failed(
    { runKey, scheduleId, threadId, claimedAtMs }: OpenRun,
    message: string,
  ): Promise<void> {
    log.error("a scheduled run could not be completed", { scheduleId, threadId, error: message });
    if (clock.now() - claimedAtMs < GIVE_UP_AFTER_MS) return;
    await (await schedules()).finish(runKey, { kind: "failed", message });
    onChange(scheduleId);
  }

  function begin(): void {
    for (const [key, open] of waiting) {
      if (inProgress.size >= MAX_COMPLETING || isStopped) return;
      waiting.delete(key);
      inProgress.add(key);
      inBackground(log, "completing a scheduled run", run(open));
    }
  }

  return {
    add(open: OpenRun): void {
      if (inProgress.has(open.runKey)) return;
      waiting.set(open.runKey, open);
      begin();
    },
    stop(): void {
      isStopped = true;
    },
  };
}
