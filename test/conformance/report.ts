/** Turns outcomes into the text that the run prints. */
import type { Difference } from "./compare.ts";
import type { Recording } from "./recording.ts";
import type { Outcome } from "./run.ts";

const SHOWN_PER_SCENARIO = 12;
const VALUE_WIDTH = 160;

/** An entry of the list of differences that nothing in the run bore out. */
export type Stale = { readonly id: string; readonly scenario?: string };

export type Summary = { readonly text: string; readonly green: boolean };

export function summarise(outcomes: readonly Outcome[], stale: readonly Stale[]): Summary {
  const sorted = [...outcomes].sort((a, b) =>
    `${a.scenario} ${a.transport}`.localeCompare(`${b.scenario} ${b.transport}`),
  );
  const width = Math.max(8, ...sorted.map(({ scenario }) => scenario.length));
  const rows = sorted.map((outcome) => row(outcome, width));
  const details = sorted.flatMap(detail);
  const gone = stale.map(
    ({ id, scenario = "everywhere" }) =>
      `meant difference ${id} (${scenario}) was not seen: it no longer differs, or it differs elsewhere`,
  );
  const count = (verdict: string) => sorted.filter((outcome) => outcome.verdict === verdict).length;
  const totals = ["same", "meant", "own", "different", "broken", "skipped"]
    .map((each) => `${count(each)} ${each}`)
    .join(", ");
  const text = [
    `${"scenario".padEnd(width)}  transport  verdict        ms  where`,
    ...rows,
    "",
    ...details,
    ...gone,
    ...sorted
      .filter(({ peerVaries }) => peerVaries === true)
      .map(
        ({ scenario, transport }) => `${scenario} (${transport}): the peer was played again, as it varies`,
      ),
    `${sorted.length} played: ${totals}${gone.length > 0 ? `, ${gone.length} stale` : ""}`,
  ].join("\n");
  return { text, green: count("different") + count("broken") + gone.length === 0 };
}

function row({ scenario, transport, verdict, ...rest }: Outcome, width: number): string {
  const first = rest.differences[0];
  const where =
    rest.notes[0] ??
    (first === undefined
      ? (rest.violations[0] ?? rest.meant.join(", "))
      : `${first.message} ${first.pointer}`);
  const time = String(rest.milliseconds).padStart(6);
  return `${scenario.padEnd(width)}  ${transport.padEnd(9)}  ${verdict.padEnd(9)}  ${time}  ${clip(where, 100)}`.trimEnd();
}

function detail(outcome: Outcome): string[] {
  if (outcome.verdict !== "different" && outcome.verdict !== "broken") return [];
  const lines = [
    ...outcome.notes,
    ...outcome.differences.map(differenceText),
    ...outcome.violations.map((violation) => `schema: ${violation}`),
  ];
  const hidden = lines.length - SHOWN_PER_SCENARIO;
  return [
    `${outcome.scenario} (${outcome.transport})`,
    ...lines.slice(0, SHOWN_PER_SCENARIO).map((line) => `  ${line}`),
    ...(hidden > 0 ? [`  … and ${hidden} more`] : []),
    "",
  ];
}

function differenceText({ message, pointer, peer, heddle }: Difference): string {
  return `${message} ${pointer}\n      peer   ${show(peer)}\n      heddle ${show(heddle)}`;
}

function show(value: unknown): string {
  return value === undefined ? "(nothing)" : clip(JSON.stringify(value), VALUE_WIDTH);
}

function clip(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

export function recordingText(title: string, recording: Recording): string {
  const lines = recording.entries.map(
    ({ channel, key, value }) => `  [${channel}] ${key} ${JSON.stringify(value)}`,
  );
  return [
    title,
    ...lines,
    ...(recording.stalled === undefined ? [] : [`  stalled: ${recording.stalled}`]),
  ].join("\n");
}
