import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createDeferred } from "../../base/tasks.ts";
import type { AppendFailure, AppendOutcome } from "../../store/journal.ts";
import type { LineBody } from "../../store/lines/line.ts";
import { createTestJournal } from "./journal.fixture.ts";
import { ThreadCommits } from "./journal-commits.ts";

const FULL: AppendFailure = { kind: "unavailable", reason: "noSpace", message: "the disk is full" };
const WRITTEN: AppendOutcome = { kind: "kept", firstSeq: 0 };
const FAILED: AppendOutcome = FULL;
const LINE: LineBody = { type: "event_msg", payload: { type: "task_started" } };

/** Gives each append the next outcome. */
function open(...outcomes: readonly (AppendOutcome | Promise<AppendOutcome>)[]) {
  let asked = 0;
  const journal = createTestJournal({
    append: async () => outcomes[asked++] ?? WRITTEN,
  });
  const faults: AppendFailure[] = [];
  return {
    commits: new ThreadCommits(journal, { clock: systemClock, onFault: (fault) => faults.push(fault) }),
    faults,
  };
}

test("a failed append is reported although a later one succeeds", async () => {
  const { commits, faults } = open(FAILED, WRITTEN);
  const kept = commits.watch();
  commits.append(LINE);
  await commits.flush();
  commits.append(LINE);
  await expect(kept()).rejects.toThrow("the disk is full");
  expect(faults).toEqual([FULL]);
});

test("a failure before the watch began is not reported again", async () => {
  const { commits } = open(FAILED, WRITTEN);
  commits.append(LINE);
  await commits.flush();
  const kept = commits.watch();
  commits.append(LINE);
  await expect(kept()).resolves.toBeUndefined();
});

test("waits for earlier appends even when the last one is refused immediately", async () => {
  let write: (outcome: AppendOutcome) => void = () => {};
  const slow = new Promise<AppendOutcome>((resolve) => {
    write = resolve;
  });
  const { commits } = open(slow, FAILED);
  commits.append(LINE);
  void commits.flush();
  commits.append(LINE);
  let isSettled = false;
  const settled = commits.flush()?.then(() => {
    isSettled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSettled).toBe(false);
  write(WRITTEN);
  await settled;
});

test("an exception of the journal is reported as a failed append", async () => {
  const { commits, faults } = open(Promise.reject(new Error("database is locked")));
  const kept = commits.watch();
  commits.append(LINE);
  await expect(kept()).rejects.toThrow("database is locked");
  expect(faults).toHaveLength(1);
});

test("a journal that need not wait settles a group before flush returns", () => {
  const journal = createTestJournal({ append: () => WRITTEN });
  const commits = new ThreadCommits(journal, { clock: systemClock, onFault() {} });
  const commit = commits.append(LINE, LINE);
  expect(commit.fault).toBeUndefined();
  expect(commits.flush()).toBeNull();
  expect(commit.fault).toBeNull();
});

test("the lines of one tick are one group, in order, and reach the journal without a flush", async () => {
  const groups: (readonly LineBody[])[] = [];
  const journal = createTestJournal({
    append(lines) {
      groups.push(lines);
      return WRITTEN;
    },
  });
  const commits = new ThreadCommits(journal, { clock: systemClock, onFault() {} });
  const other: LineBody = { type: "event_msg", payload: { type: "task_complete" } };
  commits.append(LINE);
  await commits.append(other).settled;
  commits.append(LINE);
  await new Promise((resolve) => setImmediate(resolve));
  expect(groups).toEqual([[LINE, other], [LINE]]);
});

test("notifies of groups in order although the second one settles first", async () => {
  const first = createDeferred<AppendOutcome>();
  const outcomes: (AppendOutcome | Promise<AppendOutcome>)[] = [first.promise, WRITTEN];
  const journal = createTestJournal({ append: () => outcomes.shift() ?? WRITTEN });
  const commits = new ThreadCommits(journal, { clock: systemClock, onFault() {} });
  const one = commits.append(LINE);
  void commits.flush();
  const two = commits.append(LINE);
  const settled = commits.flush();
  expect([one.fault, two.fault]).toEqual([undefined, undefined]);
  first.resolve(WRITTEN);
  await settled;
  expect([one.fault, two.fault]).toEqual([null, null]);
});
