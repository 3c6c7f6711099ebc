/** Plays the chosen scenarios on both sides and judges each pair of recordings. */
import type { Transport } from "../support/start-server.ts";
import { compare, type Difference } from "./compare.ts";
import { leaveOutAdditions, sortDifferences } from "./differences.ts";
import { type Trace, toTrace } from "./golden.ts";
import { type Played, play } from "./play.ts";
import { allowsPrivateEtc, needsPrivateEtc } from "./private-etc.ts";
import type { Recording } from "./recording.ts";
import type { Scenario } from "./scenario.ts";
import type { SchemaCheck } from "./schema-check.ts";
import type { Side } from "./stage.ts";

export type Verdict = "same" | "meant" | "own" | "different" | "broken" | "skipped";

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
  /** The peer did something else when it was played before, at the same scenario. */
  readonly peerVaries?: boolean;
  readonly recordings?: { readonly peer: Recording; readonly heddle: Recording };
  /** What Heddle did, as it is kept. */
  readonly trace?: Trace;
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

export type Task = { readonly scenario: Scenario; readonly transport: Transport };

export async function runAll(tasks: readonly Task[], options: RunOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const canBePrivate = allowsPrivateEtc();
  await playEach(tasks, options.jobs, async (task) => {
    const isPlayable = canBePrivate || !needsPrivateEtc(task.scenario.files);
    const outcome = isPlayable ? await judge(task, options) : skip(task, "needs a private /etc");
    outcomes.push(outcome);
    options.done(outcome);
  });
  return outcomes;
}

/** Plays so many at a time. */
export async function playEach(
  tasks: readonly Task[],
  jobs: number,
  playOne: (task: Task) => Promise<void>,
): Promise<void> {
  const queue = [...tasks];
  const playNext = async (): Promise<void> => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) await playOne(task);
  };
  await Promise.all(Array.from({ length: jobs }, playNext));
}

function skip(task: Task, reason: string): Outcome {
  return { ...unremarkable(task), verdict: "skipped", notes: [reason], milliseconds: 0 };
}

function unremarkable({ scenario, transport }: Task) {
  return { scenario: scenario.name, transport, differences: [], meant: [], additions: [], violations: [] };
}

/** The peer does not always do the same on a busy machine; Heddle, which is played once, does what the peer did once. */
const PEER_PLAYS = 3;

async function judge(task: Task, options: RunOptions): Promise<Outcome> {
  const { scenario, transport } = task;
  const start = Date.now();
  if (scenario.isOwn === true && !options.self) return judgeOwn(task, options);
  const [first, heddle] = await Promise.all([
    play(scenario, transport, options.peer),
    play(scenario, transport, options.heddle),
  ]);
  let outcome = judgeSides(task, options, first, heddle);
  const plays = options.self ? 1 : PEER_PLAYS;
  for (let played = 1; outcome.verdict === "different" && played < plays; played += 1) {
    const again = judgeSides(task, options, await play(scenario, transport, options.peer), heddle);
    if (again.verdict === "same" || again.verdict === "meant") outcome = { ...again, peerVaries: true };
  }
  return { ...outcome, milliseconds: Date.now() - start };
}

async function judgeOwn(task: Task, { heddle }: RunOptions): Promise<Outcome> {
  const { scenario, transport } = task;
  const start = Date.now();
  const { recording, normalised } = await play(scenario, transport, heddle);
  const notes = recording.unmet.map(({ entry, text }) => `Heddle does not do this: ${entry}: ${text}`);
  if (recording.stalled !== undefined) notes.push(`Heddle stalled: ${recording.stalled}`);
  return {
    ...unremarkable(task),
    verdict: notes.length > 0 ? "broken" : "own",
    notes,
    milliseconds: Date.now() - start,
    trace: toTrace(normalised, scenario),
  };
}

function judgeSides(task: Task, options: RunOptions, peer: Played, heddle: Played): Outcome {
  const { scenario } = task;
  const compared = options.self
    ? { recording: heddle.normalised, seen: [] }
    : leaveOutAdditions(heddle.normalised);
  const found = compare(peer.normalised, compared.recording, scenario.freeOrder);
  const sorted = options.self ? { meant: [], unexpected: found } : sortDifferences(scenario.name, found);
  const violations = options.check(heddle.recording);
  const notes = peer.recording.unmet.map(({ entry, text }) => `the peer does not do this: ${entry}: ${text}`);
  if (peer.recording.stalled !== undefined) notes.push(`the peer stalled: ${peer.recording.stalled}`);
  return {
    ...unremarkable(task),
    verdict: verdictOf(notes, [...sorted.unexpected, ...violations], sorted.meant),
    differences: sorted.unexpected,
    meant: sorted.meant,
    additions: compared.seen,
    violations,
    notes,
    milliseconds: 0,
    recordings: { peer: peer.normalised, heddle: heddle.normalised },
    trace: toTrace(heddle.normalised, scenario),
  };
}

function verdictOf(notes: readonly unknown[], wrong: readonly unknown[], meant: readonly unknown[]): Verdict {
  if (notes.length > 0) return "broken";
  if (wrong.length > 0) return "different";
  return meant.length > 0 ? "meant" : "same";
}
