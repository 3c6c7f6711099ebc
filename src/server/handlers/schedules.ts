// Schedules: clients make, change, list, run and delete them. The runtime runs them.

import type { OpenSchedules } from "../../runtime/schedules/open-schedules.ts";
import { ownerOf, showRun, showSchedule } from "../../runtime/schedules/schedule-view.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { type Handlers, invalidRequest, type RequestMethod, unwrap } from "../connections/handler.ts";
import { isOwn } from "../connections/own-threads.ts";

type ScheduleMethod = Extract<RequestMethod, `schedule/${string}`>;

const PAGE = 25;
const MAX_PAGE = 100;

export function createScheduleHandlers({
  service,
  changed,
}: Pick<OpenSchedules, "service" | "changed">): Handlers<ScheduleMethod> {
  /** The schedule of another owner is refused like a missing one. */
  async function refuseOthers(scheduleId: string, { own }: ClientConnection): Promise<void> {
    if (own === null) return;
    const schedule = await service.read(scheduleId);
    if (schedule === null || !isOwn(own, ownerOf(schedule)))
      throw invalidRequest(`there is no schedule ${scheduleId}`);
  }

  return {
    async "schedule/create"(params, { connection, afterResponse }) {
      const schedule = unwrap(await service.create(params, connection.subject));
      afterResponse(() => changed(schedule.scheduleId));
      return { schedule: showSchedule(schedule) };
    },

    async "schedule/list"({ cursor, limit }, { connection: { own } }) {
      const offset = parseCursor(cursor ?? null);
      const page = { offset, limit: Math.min(MAX_PAGE, Math.max(1, limit ?? PAGE)) };
      const { schedules, total } = await service.list(page);
      const next = offset + schedules.length;
      const shown = schedules.filter((each) => isOwn(own, ownerOf(each)));
      return { data: shown.map(showSchedule), nextCursor: next < total ? String(next) : null };
    },

    async "schedule/update"(params, { connection, afterResponse }) {
      await refuseOthers(params.scheduleId, connection);
      const schedule = unwrap(await service.update(params));
      afterResponse(() => changed(schedule.scheduleId));
      return { schedule: showSchedule(schedule) };
    },

    async "schedule/delete"({ scheduleId }, { connection, afterResponse }) {
      await refuseOthers(scheduleId, connection);
      const deleted = await service.remove(scheduleId);
      if (deleted) afterResponse(() => changed(scheduleId));
      return { deleted };
    },

    async "schedule/runNow"({ scheduleId }, { connection, afterResponse }) {
      await refuseOthers(scheduleId, connection);
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
