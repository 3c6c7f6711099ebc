/** A reader that is cut at any place, and goes on in any mode, gets each message once and in order. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { propertyRuns } from "../../../base/property-runs.fixture.ts";
import type { HttpAnswer, RouteRequest } from "../../../transport/http-routes.ts";
import { createDurableStream } from "./durable-stream.ts";
import { createMemoryLogs, MemoryLog } from "./memory-log.fixture.ts";
import { defaultStreamLimits } from "./stream-limits.ts";
import type { StreamMode } from "./stream-query.ts";

type Step =
  /** Messages of these sizes; 0 is an entry without a message. */
  | { readonly kind: "append"; readonly sizes: readonly number[] }
  /** The connection is cut after so many parts. */
  | { readonly kind: "read"; readonly mode: StreamMode; readonly parts: number }
  | { readonly kind: "live" };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("append" as const), sizes: fc.array(fc.nat(40), { maxLength: 8 }) }),
    fc.record({
      kind: fc.constant("read" as const),
      mode: fc.constantFrom<StreamMode>("catch-up", "long-poll", "sse"),
      parts: fc.nat(5),
    }),
    fc.constant({ kind: "live" as const }),
  ),
  { maxLength: 30 },
);

interface Batch {
  readonly messages: readonly unknown[];
  readonly next: string;
  readonly isUpToDate: boolean;
}

/** The pages in one part of SSE; a page without its place is a fault. */
function batchesOf(part: string): Batch[] {
  const batches: Batch[] = [];
  let messages: readonly unknown[] = [];
  for (const event of part.trimEnd().split("\n\n")) {
    const [name = "", ...fields] = event.split("\n");
    const text = fields.map((field) => field.slice("data:".length)).join("\n");
    if (name === "event: data") messages = JSON.parse(text) as unknown[];
    if (name !== "event: control") continue;
    const control = JSON.parse(text) as { readonly streamNextOffset: string; readonly upToDate?: boolean };
    batches.push({ messages, next: control.streamNextOffset, isUpToDate: control.upToDate === true });
    messages = [];
  }
  expect(messages).toEqual([]);
  return batches;
}

/** Ends at the tail, where SSE would wait. */
async function* batchesIn({ status, headers, body }: HttpAnswer, maxParts: number): AsyncGenerator<Batch> {
  const next = headers["stream-next-offset"] ?? "";
  const isUpToDate = headers["stream-up-to-date"] === "true";
  if (status === 204) yield { messages: [], next, isUpToDate };
  else if (Buffer.isBuffer(body))
    yield { messages: JSON.parse(body.toString()) as unknown[], next, isUpToDate };
  else {
    let left = maxParts;
    for await (const part of body as AsyncIterable<string>) {
      left -= 1;
      if (left < 0) return;
      const batches = batchesOf(part);
      yield* batches;
      if (batches.some((batch) => batch.isUpToDate)) return;
    }
  }
}

test("each message is received once and in order, wherever the reader is cut", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 100 }), async (steps, pageBytes) => {
      const log = new MemoryLog("application/json");
      const logs = createMemoryLogs(new Map([["t1", log]]));
      const limits = { ...defaultStreamLimits, pageBytes, longPollMs: 0 };
      const clock = createFakeClock();
      const answer = createDurableStream({ logs, clock, random: () => 0, limits });
      const appended: string[] = [];
      const received: unknown[] = [];
      let offset = "-1";

      async function read(mode: StreamMode, parts: number): Promise<boolean> {
        const live = mode === "catch-up" ? "" : `&live=${mode}`;
        const { signal } = new AbortController();
        const request = { method: "GET", query: `offset=${offset}${live}`, headers: {}, signal };
        const answered = await answer(request as RouteRequest, "t1", null);
        for await (const batch of batchesIn(answered, parts)) {
          expect(offset === "-1" || batch.next >= offset).toBe(true);
          received.push(...batch.messages);
          offset = batch.next;
        }
        return answered.headers["stream-up-to-date"] === "true";
      }

      for (const step of steps) {
        if (step.kind === "live") log.send("{}");
        else if (step.kind === "read") await read(step.mode, step.parts);
        else {
          const texts = step.sizes.map((size, index) =>
            size === 0 ? null : `${appended.length + index}`.padEnd(size, "x"),
          );
          appended.push(...texts.filter((text) => text !== null));
          log.append(...texts.map((text) => (text === null ? null : JSON.stringify(text))));
        }
        expect(log.subscribers()).toBe(0);
      }
      while (!(await read("catch-up", 1)));
      expect(received).toEqual(appended);
      expect(clock.waiting).toEqual([]);
    }),
    propertyRuns(300),
  );
});
