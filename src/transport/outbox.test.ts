import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createOutbox, type OutboxOptions } from "./outbox.ts";

const BOUND = 1_000_000;
const MIB = 1024 * 1024;
const turn = () => new Promise(setImmediate);

/** An outbox with a sink whose capacity the test controls. */
function open(options: Partial<OutboxOptions> = {}) {
  const writes: string[] = [];
  const events: string[] = [];
  let isFull = false;
  const outbox = createOutbox({
    sink: {
      write: (texts) => void writes.push(texts.join("\n")),
      writePart: (part, isLast) => void writes.push(isLast ? "<end>" : part),
      isFull: () => isFull,
      bufferedBytes: () => 0,
    },
    limits: () => ({ outboundBytes: BOUND }),
    onOverflow: (bytes) => void events.push(`overflow at ${bytes}`),
    onCrowded: () => void events.push("crowded"),
    onCaughtUp: () => void events.push("caught up"),
    ...options,
  });
  return {
    outbox,
    writes,
    events,
    stop: () => void (isFull = true),
    async go() {
      isFull = false;
      outbox.drained();
      while (outbox.waitingBytes() > 0) await turn();
    },
  };
}

describe("an outbox", () => {
  test("sends the messages of a tick in one write, and a notice after a response in another", async () => {
    const { outbox, writes, go } = open();
    outbox.push("a1", "response");
    outbox.push("a2", "response");
    outbox.push("n1", "notice");
    outbox.push("n2", "notice");
    outbox.push("a3", "response");
    expect(writes).toEqual([]);
    await go();
    expect(writes).toEqual(["a1\na2", "n1\nn2\na3"]);
  });

  test("counts queued bytes as on the wire while the sink is full", async () => {
    const { outbox, stop, go } = open();
    stop();
    outbox.push("€".repeat(1000), "response");
    await turn();
    expect(outbox.waitingBytes()).toBe(3000);
    outbox.push("😀".repeat(1000), "notice");
    expect(outbox.waitingBytes()).toBe(7000);
    await go();
    expect(outbox.waitingBytes()).toBe(0);
  });

  test("pauses and resumes input by the queue size, and never disconnects for responses", async () => {
    const { outbox, events, writes, stop, go } = open();
    stop();
    for (let count = 0; count < 10; count += 1) outbox.push("x".repeat(BOUND), "response");
    await turn();
    expect([outbox.isCrowded(), outbox.isBehind(), events]).toEqual([true, true, ["crowded"]]);
    let isCaughtUp = false;
    void outbox.whenCaughtUp().then(() => void (isCaughtUp = true));
    await turn();
    expect(isCaughtUp).toBe(false);
    await go();
    expect([isCaughtUp, outbox.isBehind(), events]).toEqual([true, false, ["crowded", "caught up"]]);
    expect(writes.join("").replaceAll("<end>", "").length).toBe(10 * BOUND);
  });

  test("disconnects a reader when notices exceed the limit", async () => {
    const { outbox, events, stop } = open();
    stop();
    outbox.push("x".repeat(10 * BOUND), "response");
    for (let count = 0; count < 11; count += 1) outbox.push("x".repeat(BOUND / 10), "notice");
    await turn();
    expect(events).toEqual(["crowded"]);
    const caughtUp = outbox.whenCaughtUp();
    outbox.push("one more", "notice");
    await caughtUp;
    expect(outbox.waitingBytes()).toBe(0);
    await turn();
    expect(events).toEqual(["crowded", `overflow at ${11.1 * BOUND}`]);
    outbox.push("late", "response");
    expect(outbox.waitingBytes()).toBe(0);
  });

  test("writes a long message in parts, bounded per turn of the event loop", async () => {
    const text = "ab".repeat(5 * MIB);
    const { outbox, writes, go } = open();
    outbox.push(text, "response");
    outbox.push("next", "response");
    await turn();
    const first = writes.join("").length;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(2 * MIB);
    await go();
    expect(writes.at(-1)).toBe("next");
    expect(writes.at(-2)).toBe("<end>");
    expect(writes.slice(0, -2).join("") === text).toBe(true);
  });

  test("generates the pieces of a message only when the sink accepts them", async () => {
    const { outbox, writes, stop, go } = open();
    let made = 0;
    function* pieces() {
      for (; made < 100; made += 1) yield "x".repeat(100_000);
    }
    outbox.pushPieces({ bytes: 10_000_000, pieces: { [Symbol.iterator]: pieces } });
    expect([outbox.waitingBytes(), made]).toEqual([10_000_000, 0]);
    await turn();
    stop();
    await turn();
    const before = made;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(30);
    await turn();
    expect(made).toBe(before);
    await go();
    expect([writes.join("").replace("<end>", "").length, outbox.waitingBytes()]).toEqual([10_000_000, 0]);
  });

  test("never splits a surrogate pair", () => {
    const character = fc.constantFrom("a", "é", "€", "😀");
    fc.assert(
      fc.property(fc.array(character, { minLength: 1, maxLength: 5 }), fc.nat(3), (characters, shift) => {
        const text = "x".repeat(shift) + characters.join("").repeat(200_000);
        const { outbox, writes } = open();
        outbox.push(text, "response");
        outbox.flush();
        const joined = Buffer.concat(writes.map((part) => Buffer.from(part === "<end>" ? "" : part)));
        expect(joined.toString() === text).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  test("is empty after a flush, and ignores messages after its end", async () => {
    const { outbox, writes, stop } = open();
    stop();
    outbox.push("a", "response");
    outbox.push("n", "notice");
    outbox.flush();
    outbox.end();
    outbox.push("late", "response");
    await turn();
    expect(writes).toEqual(["a", "n"]);
  });
});
