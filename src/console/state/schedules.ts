/** The schedules of the home, kept up to date. */
import type { Client } from "../../client/browser.ts";
import type {
  MissedRuns,
  Schedule,
  ScheduleListResponse,
  ScheduleTarget,
  ScheduleTime,
  UserInput,
} from "../../protocol/generated/types.ts";
import { fromLocalField, toLocalField } from "../text/describe-schedule.ts";
import { createLoaded } from "./loaded.ts";
import { client as connection, whenConnected } from "./server.ts";

const PAGE = 100;
const MAX_SCHEDULES = 1000;

export const schedules = createLoaded(readAll);

/** Follows the notifications until the result is called. */
export function followSchedules(): () => void {
  let stopListening = () => {};
  const stop = whenConnected((client) => {
    stopListening();
    stopListening = client.on("schedule/changed", ({ scheduleId, schedule }) =>
      putSchedule(scheduleId, schedule),
    );
    void schedules.load(client);
  });
  return () => {
    stop();
    stopListening();
  };
}

async function readAll(client: Client): Promise<readonly Schedule[]> {
  const found: Schedule[] = [];
  let cursor: string | null = null;
  do {
    const page: ScheduleListResponse = await client.request("schedule/list", { cursor, limit: PAGE });
    found.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null && found.length < MAX_SCHEDULES);
  return found;
}

/** Null for one that was deleted. */
export function putSchedule(scheduleId: string, schedule: Schedule | null): void {
  const known = schedules.data.peek() ?? [];
  const isKnown = known.some(({ id }) => id === scheduleId);
  if (schedule === null) schedules.put(known.filter(({ id }) => id !== scheduleId));
  else if (isKnown) schedules.put(known.map((each) => (each.id === scheduleId ? schedule : each)));
  else schedules.put([...known, schedule]);
}

/** The fields of the form of a schedule. */
export interface ScheduleForm {
  readonly name: string;
  readonly text: string;
  readonly kind: ScheduleTime["type"];
  readonly expression: string;
  readonly timeZone: string;
  /** For one run, in the zone of the browser. */
  readonly at: string;
  readonly threadId: string;
  /** For new threads; empty is the folder of the server. */
  readonly cwd: string;
  readonly missedRuns: MissedRuns;
}

/** In place of the id of a thread. */
export const NEW_THREAD = "";

/** Creates a schedule, or changes the one that is given. */
export async function saveSchedule(form: ScheduleForm, changed: Schedule | null): Promise<void> {
  const client = connection.peek();
  if (client === null) throw new Error("There is no connection to the server.");
  const { schedule } =
    changed === null
      ? await client.request("schedule/create", membersOf(form, []))
      : await client.request("schedule/update", {
          scheduleId: changed.id,
          ...membersOf(form, changed.input),
        });
  putSchedule(schedule.id, schedule);
}

function membersOf(form: ScheduleForm, known: readonly UserInput[]) {
  const { name, text, missedRuns } = form;
  return {
    name: name.trim() === "" ? null : name.trim(),
    schedule: timeOf(form),
    target: targetOf(form),
    input: withText(known, text),
    missedRuns,
  };
}

/** Parts that are no text, such as images, stay. */
function withText(known: readonly UserInput[], text: string): UserInput[] {
  return [{ type: "text", text }, ...known.filter(({ type }) => type !== "text")];
}

/** The fields of the form of a schedule that exists. */
export function formOf(
  { name, input, schedule, target, missedRuns }: Schedule,
  form: ScheduleForm,
): ScheduleForm {
  const time =
    schedule.type === "cron"
      ? { expression: schedule.expression, timeZone: schedule.timeZone }
      : { at: toLocalField(schedule.at * 1000) };
  const cwd = target.type === "newThread" ? target.threadStartParams.cwd : null;
  return {
    ...form,
    ...time,
    name: name ?? "",
    text: input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
    kind: schedule.type,
    threadId: target.type === "thread" ? target.threadId : NEW_THREAD,
    cwd: typeof cwd === "string" ? cwd : "",
    missedRuns,
  };
}

function timeOf({ kind, expression, timeZone, at: field }: ScheduleForm): ScheduleTime {
  if (kind === "cron") return { type: "cron", expression, timeZone };
  const at = fromLocalField(field);
  if (at === null) throw new Error("The time is not complete.");
  return { type: "once", at };
}

function targetOf({ threadId, cwd }: ScheduleForm): ScheduleTarget {
  if (threadId !== NEW_THREAD) return { type: "thread", threadId };
  return { type: "newThread", threadStartParams: cwd === "" ? {} : { cwd } };
}
