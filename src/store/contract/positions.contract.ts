import { describe, expect, test } from "vitest";
import { textMember } from "../../base/json-members.ts";
import { comparePositions, type LinePosition } from "../line-position.ts";
import type { StoredLine, ThreadStore } from "../thread-store.ts";
import {
  accepted,
  type CreateHarness,
  createFinishedThread,
  opened,
  writeTurn,
} from "./store-harness.fixture.ts";

async function linesOf(threads: ThreadStore, threadId: string, from?: LinePosition): Promise<StoredLine[]> {
  const lines: StoredLine[] = [];
  for await (const line of threads.lines(threadId, from === undefined ? {} : { from })) lines.push(line);
  return lines;
}

const keyOf = ({ generation, seq }: LinePosition): string => `${generation}/${seq}`;

function expectGrowing(lines: readonly StoredLine[]): void {
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    if (before !== undefined) expect(comparePositions(before, line)).toBeLessThan(0);
  }
}

/** Reading from the position of every line, and from the one after it, returns exactly the following lines. */
async function expectReadable(threads: ThreadStore, threadId: string): Promise<void> {
  const all = await linesOf(threads, threadId);
  expectGrowing(all);
  for (const [at, { generation, seq }] of all.entries()) {
    expect(await linesOf(threads, threadId, { generation, seq })).toEqual(all.slice(at));
    expect(await linesOf(threads, threadId, { generation, seq: seq + 1 })).toEqual(all.slice(at + 1));
  }
}

export function positionsContract(createHarness: CreateHarness): void {
  describe("positions", () => {
    test("are unique across two reverts and a fork, and can be read from", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1", "t2", "t3"]);
      const known = new Map<string, string>();
      const note = async (id: string) => {
        await expectReadable(threads, id);
        for (const stored of await linesOf(threads, id)) {
          const text = JSON.stringify(stored.line);
          expect(known.get(keyOf(stored)) ?? text).toBe(text);
          known.set(keyOf(stored), text);
        }
      };
      await note(threadId);
      const ends: string[] = [];
      for (const [back, turn] of [
        ["t3", "u1"],
        ["t2", "u2"],
      ] as const) {
        harness.advance(1000);
        accepted(await threads.revert(threadId, back));
        const journal = await opened(threads, threadId);
        await writeTurn(journal, turn);
        await journal.close();
        await note(threadId);
        ends.push(keyOf((await linesOf(threads, threadId)).at(-1) as StoredLine));
      }
      expect(ends).toEqual(["1/13", "2/9"]);
      const fork = accepted(await threads.fork(threadId, { kind: "whole" }, harness.origin()));
      await writeTurn(fork.journal, "f1");
      await fork.journal.close();
      await expectReadable(threads, fork.journal.threadId);
      const last = (await linesOf(threads, fork.journal.threadId)).at(-1);
      expect([last?.generation, textMember(last?.line.payload ?? {}, "turn_id")]).toEqual([2, "f1"]);
      harness.advance(1000);
      accepted(await threads.revert(fork.journal.threadId, "f1"));
      expect((await linesOf(threads, fork.journal.threadId)).at(-1)?.generation).toBe(3);
    });

    test("of the end are that of the next line, whether or not the thread is open", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      expect(await threads.end("missing")).toBeNull();
      const threadId = await createFinishedThread(harness, threads, ["t1", "t2"]);
      const isAfterLast = async () => {
        const { generation, seq } = (await linesOf(threads, threadId)).at(-1) as StoredLine;
        expect(await threads.end(threadId)).toEqual({ generation, seq: seq + 1 });
      };
      await isAfterLast();
      const journal = await opened(threads, threadId);
      expect(journal.next()).toEqual(await threads.end(threadId));
      await writeTurn(journal, "t3");
      expect(journal.next()).toEqual(await threads.end(threadId));
      await isAfterLast();
      await journal.close();
      harness.advance(1000);
      accepted(await threads.revert(threadId, "t3"));
      await isAfterLast();
    });

    test("within a turn can be read from with the whole turn", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1", "t2"]);
      const all = await linesOf(threads, threadId);
      const started = all.findLastIndex(({ line }) => textMember(line.payload, "type") === "task_started");
      for (const from of all.slice(started)) {
        const lines: StoredLine[] = [];
        for await (const line of threads.lines(threadId, { from, wholeTurn: true })) lines.push(line);
        expect(lines).toEqual(all.slice(started));
      }
    });

    test("of a thread that was reverted to its beginning are new", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1"]);
      for (const generation of [1, 2]) {
        harness.advance(1000);
        accepted(await threads.revert(threadId, "t1"));
        const journal = await opened(threads, threadId);
        await writeTurn(journal, "t1");
        await journal.close();
        expect(new Set((await linesOf(threads, threadId)).map((line) => line.generation))).toEqual(
          new Set([generation]),
        );
      }
    });

    test("beyond the end return no lines", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1"]);
      expect(await linesOf(threads, threadId, { generation: 0, seq: 1000 })).toEqual([]);
      expect(await linesOf(threads, threadId, { generation: 9, seq: 0 })).toEqual([]);
    });
  });
}
