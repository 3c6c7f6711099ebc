import { expect, test } from "vitest";
import type { ThreadJournal } from "../../store/history/journal.ts";
import type { LineBody } from "../../store/rollout/line.ts";
import { noFacts } from "../../store/rollout/thread-facts.ts";
import type { WriteFault } from "../../store/rollout/write-fault.ts";
import type { AppendOutcome } from "../../store/rollout/writer.ts";
import { createJournalCommits } from "./journal-commits.ts";

const FULL: WriteFault = { reason: "noSpace", message: "the disk is full" };
const WRITTEN: AppendOutcome = { kind: "written", lines: [] };
const FAILED: AppendOutcome = { kind: "failed", fault: FULL };
const LINE: LineBody = { type: "event_msg", payload: { type: "task_started" } };

/** Gives each append the next outcome. */
function open(...outcomes: readonly (AppendOutcome | Promise<AppendOutcome>)[]) {
  let asked = 0;
  const journal: ThreadJournal = {
    threadId: "thread",
    path: "/rollout.jsonl",
    isDurable: true,
    append: async () => outcomes[asked++] ?? WRITTEN,
    owe() {},
    onRestored() {},
    facts: () => noFacts,
    settle: async () => {},
    close: async () => {},
  };
  const faults: WriteFault[] = [];
  return { commits: createJournalCommits(journal, { onFault: (fault) => faults.push(fault) }), faults };
}

test("a line that is lost is told although a later one is kept", async () => {
  const { commits, faults } = open(FAILED, WRITTEN);
  const kept = commits.watch();
  commits.append(LINE);
  commits.append(LINE);
  await expect(kept()).rejects.toThrow("the disk is full");
  expect(faults).toEqual([FULL]);
});

test("what was lost before the watch began is not told again", async () => {
  const { commits } = open(FAILED, WRITTEN);
  commits.append(LINE);
  await commits.settled();
  const kept = commits.watch();
  commits.append(LINE);
  await expect(kept()).resolves.toBeUndefined();
});

test("waits for what was appended first, also when the last append is refused at once", async () => {
  let write: (outcome: AppendOutcome) => void = () => {};
  const slow = new Promise<AppendOutcome>((resolve) => {
    write = resolve;
  });
  const { commits } = open(slow, FAILED);
  commits.append(LINE);
  commits.append(LINE);
  let isSettled = false;
  const settled = commits.settled().then(() => {
    isSettled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSettled).toBe(false);
  write(WRITTEN);
  await settled;
});

test("a journal that throws is a fault like any other", async () => {
  const { commits, faults } = open(Promise.reject(new Error("database is locked")));
  const kept = commits.watch();
  commits.append(LINE);
  await expect(kept()).rejects.toThrow("database is locked");
  expect(faults).toHaveLength(1);
});
