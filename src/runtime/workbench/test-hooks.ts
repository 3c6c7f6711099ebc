/** Runs the hooks of one event without a thread: with a given input, or with those that a stored thread had. */
import type { JsonObject } from "../../base/json-object.ts";
import type { HookEventName } from "../../hooks/hook-event.ts";
import { buildInput, type InputDefaults, undeclaredMembers } from "../../hooks/workbench/build-input.ts";
import { rebuildEvents } from "../../hooks/workbench/recorded-events.ts";
import { type EventReport, tryEvent } from "../../hooks/workbench/try-event.ts";
import type { Workbench } from "./open-workbench.ts";
import type { RecordedThread } from "./read-recorded.ts";

/** Which event, and the members of its input that are not built. */
export interface HookTest {
  readonly event: HookEventName;
  readonly members: JsonObject;
  readonly runsUntrusted: boolean;
}

/** The fields do not fit the event. */
export class WrongHookInput extends Error {}

/** Builds the hook input; throws where fields do not fit the event. */
export function inputOf(
  place: InputDefaults,
  event: HookEventName,
  members: JsonObject,
  more: Partial<InputDefaults> = {},
): JsonObject {
  const undeclared = undeclaredMembers(event, members);
  if (undeclared.length > 0) throw new WrongHookInput(`${event} has no field ${undeclared.join(", ")}`);
  const made = buildInput(event, members, { ...place, ...more });
  if (!made.ok) throw new WrongHookInput(`the input of ${event} is invalid:\n${made.faults.join("\n")}`);
  return made.input;
}

export async function testHooks(
  { set, place, ports }: Workbench,
  { event, members, runsUntrusted }: HookTest,
): Promise<EventReport> {
  const input = inputOf(place, event, members);
  return tryEvent(set, { event, input, cwd: place.cwd, runsUntrusted }, ports);
}

/** Tries the event at each moment of a stored thread at which it happened; of one turn if it is given. */
export async function testRecorded(
  { set, place, ports }: Workbench,
  { event, members, runsUntrusted }: HookTest,
  { threadId, turnId, recorded }: RecordedMoments,
): Promise<EventReport[]> {
  const { turns, transcriptPath, isFork } = recorded;
  const moments = rebuildEvents(turns, { isFork }).filter(
    (moment) => moment.event === event && (turnId === null || moment.turnId === turnId),
  );
  const reports: EventReport[] = [];
  for (const { turnId: at, aliases, members: known, settings: then } of moments) {
    const input = inputOf(
      place,
      event,
      { ...known, ...members },
      {
        threadId,
        turnId: at,
        transcriptPath,
        ...then,
      },
    );
    reports.push(await tryEvent(set, { event, input, aliases, cwd: place.cwd, runsUntrusted }, ports));
  }
  return reports;
}

export interface RecordedMoments {
  readonly threadId: string;
  readonly turnId: string | null;
  readonly recorded: RecordedThread;
}
