// Schedules: clients make, change, list, run and delete them. The runtime runs them.

import type { OpenSchedules } from "../../runtime/schedules/open-schedules.ts";
import { showRun, showSchedule } from "../../runtime/schedules/schedule-view.ts";
import { type Handlers, invalidRequest, type RequestMethod, unwrap } from "../connections/handler.ts";

type ScheduleMethod = Extract<RequestMethod, `schedule/${string}`>;

const PAGE = 25;
const MAX_PAGE = 100;

export function createScheduleHandlers({
  service,
  changed,
}: Pick<OpenSchedules, "service" | "changed">): Handlers<ScheduleMethod> {
  return {
    async "schedule/create"(params, { afterResponse }) {
      const schedule = unwrap(await service.create(params));
      afterResponse(() => changed(schedule.scheduleId));
      return { schedule: showSchedule(schedule) };
    },

    async "schedule/list"({ cursor, limit }) {
      const offset = parseCursor(cursor ?? null);
      const page = { offset, limit: Math.min(MAX_PAGE, Math.max(1, limit ?? PAGE)) };
      const { schedules, total } = await service.list(page);
      const next = offset + schedules.length;
      return { data: schedules.map(showSchedule), nextCursor: next < total ? String(next) : null };
    },

    async "schedule/update"(params, { afterResponse }) {
      const schedule = unwrap(await service.update(params));
      afterResponse(() => changed(schedule.scheduleId));
      return { schedule: showSchedule(schedule) };
    },

    async "schedule/delete"({ scheduleId }, { afterResponse }) {
      const deleted = await service.remove(scheduleId);
      if (deleted) afterResponse(() => changed(scheduleId));
      return { deleted };
    },

    async "schedule/runNow"({ scheduleId }, { afterResponse }) {
      const run = unwrap(await service.runNow(scheduleId));
      afterResponse(() => changed(scheduleId));
      return { run: showRun(run) };
    },
  };
}

function parseCursor(cursor: string | null): number {
  if (cursor === null) return 0;
  if (!/^\d{1,15}$/.test(cursor)) throw invalidRequest(`invalid cursor: ${cursor}`);
  return Number(cursor);
}
