import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import type { OutgoingKind } from "../../transport/transport.ts";
import { delayNotices } from "./delay-notices.ts";

const DELAY = 20;

/** A delayed transport that records the time of each message. */
function open({ takesPieces = true } = {}) {
  const clock = createFakeClock();
  const sent: { text: string; at: number; blanks: number }[] = [];
  const note = (text: string) =>
    void sent.push({ text: text.trimStart(), at: clock.monotonic(), blanks: text.search(/\S/u) });
  const outgoing = delayNotices(
    {
      send: note,
      ...(takesPieces && {
        sendPieces: ({ pieces }: { pieces: Iterable<string> }) => note([...pieces].join("")),
      }),
      close: () => note("end"),
    },
    { delayMs: DELAY, clock },
  );
  /** The end of a tick, when a pause starts. */
  const written = () => new Promise<void>((resolve) => void setImmediate(resolve));
  return { outgoing, sent, clock, written, texts: () => sent.map(({ text }) => text) };
}

describe("a notice", () => {
  test("is sent immediately if no response precedes it", () => {
    const { outgoing, texts, clock } = open();
    outgoing.send("n1", "notice");
    outgoing.send("n2", "notice");
    expect(texts()).toEqual(["n1", "n2"]);
    expect(clock.waiting).toEqual([]);
  });

  test("is delayed after a response, from the end of its tick, together with later messages", async () => {
    const { outgoing, texts, clock, written } = open();
    outgoing.send("r1", "response");
    outgoing.send("n1", "notice");
    clock.advance(1000);
    await written();
    clock.advance(DELAY - 1);
    outgoing.send("r2", "response");
    outgoing.send("n2", "notice");
    expect(texts()).toEqual(["r1"]);
    clock.advance(1);
    expect(texts()).toEqual(["r1", "n1", "r2"]);
    await written();
    clock.advance(DELAY);
    expect(texts()).toEqual(["r1", "n1", "r2", "n2"]);
  });

  test("is delayed from the last of several responses, which are not delayed themselves", async () => {
    const { outgoing, texts, clock, written } = open();
    outgoing.send("r1", "response");
    await written();
    clock.advance(DELAY - 1);
    outgoing.send("r2", "response");
    outgoing.send("n", "notice");
    await written();
    clock.advance(DELAY - 1);
    expect(texts()).toEqual(["r1", "r2"]);
    clock.advance(1);
    expect(texts()).toEqual(["r1", "r2", "n"]);
  });

  test("is delayed after a response that is sent in pieces", async () => {
    const { outgoing, texts, clock, written } = open();
    outgoing.sendPieces?.({ bytes: 2, pieces: ["r", "1"] });
    outgoing.send("n", "notice");
    expect(texts()).toEqual(["r1"]);
    await written();
    clock.advance(DELAY);
    expect(texts()).toEqual(["r1", "n"]);
  });
});

test("sendPieces is absent if the transport does not have it", () => {
  expect(open({ takesPieces: false }).outgoing.sendPieces).toBeUndefined();
});

test("close flushes held messages first", async () => {
  const { outgoing, texts, clock, written } = open();
  for (const kind of ["response", "notice", "response", "notice"] as const) outgoing.send(kind, kind);
  outgoing.close();
  expect(texts()).toEqual(["response", "notice", "response", "notice", "end"]);
  await written();
  expect(clock.waiting).toEqual([]);
});

test("no more than a mebibyte is held", () => {
  const { outgoing, sent } = open();
  outgoing.send("r", "response");
  const half = "n".repeat(512 * 1024);
  outgoing.send(half, "notice");
  outgoing.send(half, "notice");
  expect(sent).toHaveLength(1);
  outgoing.send("n", "notice");
  expect(sent).toHaveLength(4);
});

test("no message is lost or reordered, and every notice is separated from the response before it", async () => {
  const kinds = fc.constantFrom<OutgoingKind>("response", "notice");
  const step = fc.oneof(kinds, fc.constant("tick" as const), fc.integer({ min: 1, max: 50 }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { outgoing, sent, clock, written } = open();
      const given: OutgoingKind[] = [];
      for (const each of steps) {
        if (each === "tick") await written();
        else if (typeof each === "number") clock.advance(each);
        else outgoing.send(`${given.push(each) - 1}`, each);
      }
      for (const _ of given) {
        await written();
        clock.advance(DELAY);
      }
      expect(sent.map(({ text }) => text)).toEqual(given.map((_, index) => `${index}`));
      let lastResponse = Number.NEGATIVE_INFINITY;
      for (const [index, { at, blanks }] of sent.entries()) {
        const isApart = given[index] === "notice" && given[index - 1] === "response";
        expect(blanks).toBe(isApart ? 64 * 1024 : 0);
        if (given[index] === "response") lastResponse = at;
        else expect(at - lastResponse).toBeGreaterThanOrEqual(DELAY);
      }
    }),
  );
});
