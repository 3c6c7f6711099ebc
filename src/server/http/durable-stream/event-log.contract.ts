/** The behaviour of every log that is served as a stream. */
import { describe, expect, test } from "vitest";
import { createDeferred } from "../../../base/tasks.ts";
import type { EventLog, LogPage } from "./event-log.ts";

export interface LogHarness {
  readonly log: EventLog;
  /** Appends one message, and resolves when it can be read. */
  append(text: string): Promise<void>;
  /** Moves the tail without a message; null if the log cannot. */
  readonly moveTail: (() => Promise<void>) | null;
}

const ALL = 1024 * 1024;

export function eventLogContract(name: string, open: () => Promise<LogHarness>): void {
  async function pageOf(log: EventLog, offset: string | null, maxBytes = ALL): Promise<LogPage> {
    const page = await log.read(offset, maxBytes);
    if (page.kind === "gone") throw new Error(`${offset ?? "the start"} is gone`);
    return page;
  }
  const textsOf = ({ messages }: LogPage): string[] => messages.map(String);

  describe(`the log ${name}`, () => {
    test("is empty at first, and at its tail", async () => {
      const { log } = await open();
      const { offset, isClosed } = await log.tail();
      expect(isClosed).toBe(false);
      expect(await pageOf(log, null)).toMatchObject({ messages: [], nextOffset: offset, isUpToDate: true });
    });

    test("is read from the start and from each offset", async () => {
      const { log, append } = await open();
      const offsets: string[] = [];
      for (const text of ['{"n":1}', '{"n":2}', '{"n":3}']) {
        await append(text);
        offsets.push((await log.tail()).offset);
      }
      expect(textsOf(await pageOf(log, null))).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
      const [first = "", second = "", third = ""] = offsets;
      expect(textsOf(await pageOf(log, first))).toEqual(['{"n":2}', '{"n":3}']);
      expect(textsOf(await pageOf(log, second))).toEqual(['{"n":3}']);
      expect(await pageOf(log, third)).toMatchObject({ messages: [], nextOffset: third, isUpToDate: true });
    });

    test("has offsets that sort, and that stand in an address as they are", async () => {
      const { log, append } = await open();
      const offsets = [(await log.tail()).offset];
      for (let count = 0; count < 12; count += 1) {
        await append(`{"n":${count}}`);
        offsets.push((await log.tail()).offset);
      }
      expect([...new Set(offsets)].sort()).toEqual(offsets);
      for (const offset of offsets) {
        expect(offset).toMatch(/^[\w.~-]{1,255}$/u);
        expect(["-1", "now"]).not.toContain(offset);
        expect(log.isOffset(offset)).toBe(true);
      }
      expect(["", "-1", "now", "an offset", `${offsets[0]}x`].filter(log.isOffset.bind(log))).toEqual([]);
    });

    test("is read in pages that follow each other, each with a message at least", async () => {
      const { log, append } = await open();
      const texts = [`"${"a".repeat(500)}"`, '"b"', '"c"', `"${"d".repeat(500)}"`];
      for (const text of texts) await append(text);
      const read: string[][] = [];
      let offset: string | null = null;
      for (let isUpToDate = false; !isUpToDate; ) {
        const page: LogPage = await pageOf(log, offset, 100);
        read.push(textsOf(page));
        offset = page.nextOffset;
        isUpToDate = page.isUpToDate;
      }
      expect(read.flat()).toEqual(texts);
      expect(read.length).toBeGreaterThan(2);
    });

    test("says that an offset beyond its tail is gone", async () => {
      const { log, append } = await open();
      const other = await open();
      for (const text of ["1", "2", "3"]) await other.append(text);
      await append("1");
      const { offset } = await other.log.tail();
      expect(await log.read(offset, ALL)).toEqual({ kind: "gone" });
    });

    test("calls back for a message, and not after the end of the subscription", async () => {
      const { log, append } = await open();
      const called = createDeferred<void>();
      let calls = 0;
      const stop = log.onChange(() => {
        calls += 1;
        called.resolve();
      });
      await append("1");
      await called.promise;
      stop();
      const before = calls;
      await append("2");
      expect(calls).toBe(before);
    });

    test("moves its tail without a message", async ({ skip }) => {
      const { log, append, moveTail } = await open();
      if (moveTail === null) return skip();
      await append("1");
      const { offset } = await log.tail();
      await moveTail();
      const moved = await log.tail();
      expect(moved.offset > offset).toBe(true);
      expect(await pageOf(log, offset)).toMatchObject({ messages: [], nextOffset: moved.offset });
    });
  });
}
