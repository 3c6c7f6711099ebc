import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { propertyRuns } from "../../base/property-runs.fixture.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { JsonPieces } from "../../jsonrpc/message.ts";
import type { ThreadItem, Turn } from "../../protocol/generated/types.ts";
import { encodeLargeHistory } from "./large-history.ts";

const encoding = { clock: systemClock, createId: createUuidSource(systemClock) };

const message = (id: string, text: string) => ({ type: "plan", id, text }) as unknown as ThreadItem;
const turnOf = (id: string, texts: readonly string[]) =>
  ({
    id,
    items: texts.map((text, index) => message(`${id}-${index}`, text)),
    status: "completed",
  }) as unknown as Turn;

test("a long history has the JSON and the length that one step would give", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 5 }), { maxLength: 6 }),
      fc.string(),
      async (texts, name) => {
        const filler = Array.from({ length: 200 }, (_, index) => `filler ${index}`);
        const turns = [...texts, filler].map((each, index) => turnOf(`turn-${index}`, each));
        const result = { thread: { id: "t", name, turns, cwd: undefined }, readState: null };
        const encoded = await encodeLargeHistory(result, encoding);
        if (!(encoded instanceof JsonPieces)) throw new Error("it was not encoded in pieces");
        const text = JSON.stringify(result);
        expect([encoded.join(), encoded.bytes]).toEqual([text, Buffer.byteLength(text)]);
      },
    ),
    propertyRuns(50),
  );
});

test("a short history is left to the usual encoding", async () => {
  const result = { thread: { turns: [turnOf("a", ["one"])] } };
  expect(await encodeLargeHistory(result, encoding)).toBe(result);
});

test("other work runs while a history of 80 MB is encoded", async () => {
  const turns = Array.from({ length: 400 }, (_, index) => turnOf(`turn-${index}`, ["x".repeat(200_000)]));
  let longest = 0;
  let last = performance.now();
  let isDone = false;
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  await encodeLargeHistory({ thread: { turns } }, encoding);
  isDone = true;
  expect(longest).toBeLessThan(200);
}, 20_000);
