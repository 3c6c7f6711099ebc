/** Compares the decisions of the current hooks with those that a thread has recorded. */
import { type HookDecision, hookEventOf } from "../../hooks/events/index.ts";
import { differencesOf } from "../../hooks/workbench/recorded-differences.ts";
import { type RecordedEvent, rebuildEvents } from "../../hooks/workbench/recorded-events.ts";
import { type EventReport, tryEvent } from "../../hooks/workbench/try-event.ts";
import type { Workbench } from "./open-workbench.ts";
import type { RecordedThread } from "./read-recorded.ts";
import { inputOf } from "./test-hooks.ts";

export interface Replayed {
  readonly moment: RecordedEvent;
  readonly report: EventReport;
  readonly differences: readonly string[];
}

/** The moments of a thread at which hooks run; of one turn if it is given. */
export function momentsOf(recorded: RecordedThread, turnId: string | null): readonly RecordedEvent[] {
  return rebuildEvents(recorded.turns, recorded).filter(
    (moment) => turnId === null || moment.turnId === turnId,
  );
}

export interface HookReplayOptions {
  readonly threadId: string;
  readonly transcriptPath: string | null;
  readonly runsUntrusted: boolean;
  /** Called after each moment. */
  readonly onReplayed?: (done: number) => void;
}

export async function replayHooks(
  { set, ports, place }: Workbench,
  moments: readonly RecordedEvent[],
  { threadId, transcriptPath, runsUntrusted, onReplayed }: HookReplayOptions,
): Promise<Replayed[]> {
  const replayed: Replayed[] = [];
  for (const moment of moments) {
    const { event, aliases, members, turnId, settings: then } = moment;
    const input = inputOf(place, event, members, { threadId, turnId, transcriptPath, ...then });
    const report = await tryEvent(set, { event, input, aliases, cwd: place.cwd, runsUntrusted }, ports);
    replayed.push({ moment, report, differences: compare(moment, report) });
    onReplayed?.(replayed.length);
  }
  return replayed;
}

/** Empty where the result of a hook is unknown. */
function compare(
  { event, recorded, wasAllowed }: RecordedEvent,
  { runs, notRun, decision }: EventReport,
): string[] {
  // Hook runs at the end of a session are not recorded.
  if (hookEventOf(event).endsSession || notRun.length > 0) return [];
  const differences = differencesOf(
    recorded,
    runs.map(({ run }) => run),
  );
  if (event !== "PermissionRequest") return differences;
  const { verdict } = decision as HookDecision<"PermissionRequest">;
  const isAllowed = verdict?.behavior === "allow";
  if (isAllowed && !wasAllowed) differences.push("no hook gave the permission, one would");
  if (wasAllowed && !isAllowed) differences.push("a hook gave the permission, none would");
  return differences;
}
