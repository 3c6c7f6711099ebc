/** Plays the chosen scenarios on both sides and judges each pair of recordings. */
import type { Transport } from "../support/start-server.ts";
import { compare, type Difference } from "./compare.ts";
import { leaveOutAdditions, sortDifferences } from "./differences.ts";
import { isIsolated } from "./isolation.ts";
import { play } from "./play.ts";
import type { Recording } from "./recording.ts";
import type { Scenario } from "./scenario.ts";
import type { SchemaCheck } from "./schema-check.ts";
import type { Side } from "./stage.ts";
import { clearSystemFiles, needsSystemFolder } from "./system-files.ts";

export type Verdict = "same" | "meant" | "different" | "broken" | "skipped";

export type Outcome = {
  readonly scenario: string;
  readonly transport: Transport;
  readonly verdict: Verdict;
  readonly differences: readonly Difference[];
  /** Ids of the meant differences that were seen. */
  readonly meant: readonly string[];
  /** Ids of the additions that were left out of the comparison. */
  readonly additions: readonly string[];
  /** Messages of Heddle that the peer's schemas do not allow. */
  readonly violations: readonly string[];
  /** What is wrong with the scenario itself, or why it was skipped. */
  readonly notes: readonly string[];
  readonly milliseconds: number;
  readonly recordings?: { readonly peer: Recording; readonly heddle: Recording };
};

export type RunOptions = {
  readonly peer: Side;
  readonly heddle: Side;
  readonly check: SchemaCheck;
  /** The peer plays both sides: then no difference is meant. */
  readonly self: boolean;
  readonly jobs: number;
  readonly done: (outcome: Outcome) => void;
};

type Task = { readonly scenario: Scenario; readonly transport: Transport };

export async function runAll(tasks: readonly Task[], options: RunOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const judgeNext = async (queue: Task[], together: boolean): Promise<void> => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      const outcome = await judge(task, options, together);
      outcomes.push(outcome);
      options.done(outcome);
    }
  };
  const shared = tasks.filter(({ scenario }) => needsSystemFolder(scenario.files));
  const queue = tasks.filter((task) => !shared.includes(task));
  await Promise.all(Array.from({ length: options.jobs }, () => judgeNext(queue, true)));
  // There is one machine-wide folder, so the scenarios that fill it are played one at a time, one side at a time.
  await judgeNext(shared, false);
  return outcomes;
}

async function judge(task: Task, options: RunOptions, together: boolean): Promise<Outcome> {
  const { scenario, transport } = task;
  const start = Date.now();
  const base = {
    scenario: scenario.name,
    transport,
    differences: [],
    meant: [],
    additions: [],
    violations: [],
  };
  if (needsSystemFolder(scenario.files) && !isIsolated()) {
    return { ...base, verdict: "skipped", notes: ["needs a private /etc"], milliseconds: 0 };
  }
  const playPeer = () => play(scenario, transport, options.peer);
  const playHeddle = () => play(scenario, transport, options.heddle);
  const [peer, heddle] = together
    ? await Promise.all([playPeer(), playHeddle()])
    : [await playPeer(), await playHeddle()];
  if (!together) await clearSystemFiles();

  const compared = options.self
    ? { recording: heddle.normalised, seen: [] }
    : leaveOutAdditions(heddle.normalised);
  const found = compare(peer.normalised, compared.recording, scenario.freeOrder);
  const sorted = options.self ? { meant: [], unexpected: found } : sortDifferences(scenario.name, found);
  const violations = options.check(heddle.recording);
  const notes = peer.recording.unmet.map(({ entry, text }) => `the peer does not do this: ${entry}: ${text}`);
  if (peer.recording.stalled !== undefined) notes.push(`the peer stalled: ${peer.recording.stalled}`);
  return {
    ...base,
    verdict: verdictOf(notes, [...sorted.unexpected, ...violations], sorted.meant),
    differences: sorted.unexpected,
    meant: sorted.meant,
    additions: compared.seen,
    violations,
    notes,
    milliseconds: Date.now() - start,
    recordings: { peer: peer.normalised, heddle: heddle.normalised },
  };
}

function verdictOf(notes: readonly unknown[], wrong: readonly unknown[], meant: readonly unknown[]): Verdict {
  if (notes.length > 0) return "broken";
  if (wrong.length > 0) return "different";
  return meant.length > 0 ? "meant" : "same";
}
