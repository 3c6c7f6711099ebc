import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { chatWire } from "../chat/chat-wire.ts";
import { PLAIN_REQUEST } from "../fixtures/collect.ts";
import {
  added,
  answer,
  COMPLETED,
  CREATED,
  done,
  messageItem,
  sse,
  textDelta,
} from "../fixtures/response-events.ts";
import type { ModelEvent } from "../model.ts";
import { responsesWire } from "../responses/responses-wire.ts";
import { type EventStreamOptions, readEventStream } from "./event-stream.ts";
import type { ResponseEnd, WireFormat } from "./wire.ts";

interface Outcome {
  readonly events: ModelEvent[];
  readonly end: ResponseEnd;
  readonly batches: number;
}

async function read(
  chunks: readonly Uint8Array[],
  wire: WireFormat = responsesWire,
  own: Partial<EventStreamOptions> = {},
): Promise<Outcome> {
  const body = Readable.from(chunks, { objectMode: false }).setEncoding("utf8");
  const stream = readEventStream({
    response: { chunks: () => body as AsyncIterable<string>, release() {}, close() {} },
    reader: wire.createReader(PLAIN_REQUEST),
    first: [],
    idleTimeoutMs: 1000,
    clock: createFakeClock(),
    ...own,
  });
  const events: ModelEvent[] = [];
  for (let batches = 0; ; batches++) {
    const { value, done: isOver } = await stream.next();
    if (isOver === true) return { events, end: value, batches };
    events.push(...value);
  }
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function cut(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [
    0,
    ...[...places].map((place) => place % (whole.length + 1)).sort((a, b) => a - b),
    whole.length,
  ];
  return sorted.slice(1).map((end, index) => whole.subarray(sorted[index], end));
}

const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
const MESSAGES = [
  CREATED,
  added(reasoning),
  { type: "response.reasoning_summary_part.added", item_id: "rs_1", summary_index: 0 },
  { type: "response.reasoning_summary_text.delta", item_id: "rs_1", summary_index: 0, delta: "für später…" },
  { type: "response.reasoning_text.delta", item_id: "rs_1", content_index: 0, delta: "roh" },
  done(reasoning),
  added(messageItem("")),
  textDelta("Grüße 🌍, "),
  textDelta("日本語\r\n"),
  done(messageItem("Grüße 🌍, 日本語\r\n")),
  { type: "response.custom_tool_call_input.delta", item_id: "ctc_1", call_id: "call_1", delta: "*** Begin" },
  done({ type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "apply_patch", input: "*** Begin" }),
  { type: "response.unheard_of", anything: true },
  COMPLETED,
];

const CHAT = [
  { id: "c", choices: [{ delta: { role: "assistant", reasoning_content: "hm, 🌍" } }] },
  { id: "c", choices: [{ delta: { content: "Grüße" } }] },
  {
    id: "c",
    choices: [{ delta: { tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "{" } }] } }],
  },
  { id: "c", choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: "}" } }] } }] },
  { id: "c", choices: [{ delta: {}, finish_reason: "tool_calls" }] },
  { id: "c", choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } },
  "[DONE]",
];

/** Each wire with a whole answer of it. */
const WIRES = [
  ["the Responses API", responsesWire, MESSAGES],
  ["Chat Completions", chatWire, CHAT],
] as const;

const places = fc.array(fc.nat(), { maxLength: 60 });
const ending = fc.constantFrom("\n", "\r\n", "\r");

describe.each(WIRES)("a stream of %s", (_name, wire, messages) => {
  const text = sse(...messages);

  test("parses the same however it is chunked, with any line endings", async () => {
    const whole = await read([bytes(text)], wire);
    expect(whole.end).toBe("completed");
    await fc.assert(
      fc.asyncProperty(places, ending, async (cuts, newline) => {
        // A line behind the end shows that the last carriage return is not half of a line end.
        const chunks = cut(bytes(`${text.replaceAll("\n", newline)}:${newline}`), cuts);
        const { events, end } = await read(chunks, wire);
        expect(events).toEqual(whole.events);
        expect(end).toBe("completed");
      }),
    );
  });

  test("that is truncated anywhere yields the first events and one failure", async () => {
    const { events: all } = await read([bytes(text)], wire);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length), places, async (length, cuts) => {
        const { events, end } = await read(cut(bytes(text).subarray(0, length), cuts), wire);
        // A chat response ends with its finish reason, even without the usage chunk.
        if (end === "completed") expect(events.slice(0, -1)).toEqual(all.slice(0, -1));
        else {
          expect(events).toEqual(all.slice(0, events.length));
          expect(end.error.message).toMatch(/^stream disconnected before completion: /);
        }
      }),
    );
  });

  test("with duplicated, lost and reordered messages ends once without throwing", async () => {
    const mixed = fc.array(fc.constantFrom(...messages), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(mixed, places, async (picked, cuts) => {
        const { events, end } = await read(cut(bytes(sse(...picked)), cuts), wire);
        const ends = events.filter(({ type }) => type === "completed");
        expect(ends).toHaveLength(end === "completed" ? 1 : 0);
        if (end === "completed") expect(events.at(-1)?.type).toBe("completed");
      }),
    );
  });

  test("with arbitrary JSON ends without throwing", async () => {
    const kinds = messages.flatMap((message) =>
      typeof message === "object" && "type" in message ? [message.type] : [],
    );
    const kind = fc.constantFrom(...kinds, "constructor", "__proto__", "toString");
    const fields = fc.constantFrom(
      "item",
      "response",
      "delta",
      "summary_index",
      "choices",
      "error",
      "metadata",
      "usage",
    );
    const message = fc
      .tuple(kind, fc.dictionary(fields, fc.jsonValue(), { maxKeys: 5 }))
      .map(([type, rest]) => ({ type, ...rest }));
    const line = fc.oneof(message, fc.jsonValue(), fc.string());
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
        const { end } = await read([bytes(sse(...lines))], wire);
        expect(end === "completed" || typeof end.error.message === "string").toBe(true);
      }),
    );
  });

  test("of arbitrary bytes ends without throwing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), async (chunks) => {
        const { end } = await read(chunks, wire);
        expect(end).not.toBe("completed");
      }),
    );
  });
});

test("the events of one chunk form one batch", async () => {
  const text = sse(...answer(...Array.from({ length: 1000 }, () => "x")));
  const { batches, events } = await read([bytes(text)]);
  expect([batches, events.length]).toEqual([1, 1004]);
});

test("events after the end are ignored", async () => {
  const { events } = await read([bytes(sse(...answer("a"), textDelta("late"), COMPLETED))]);
  expect(events.at(-1)?.type).toBe("completed");
  expect(events.filter(({ type }) => type === "completed")).toHaveLength(1);
});

test("a leading BOM is removed", async () => {
  const { end } = await read([bytes(`\uFEFF${sse(...answer("a"))}`)]);
  expect(end).toBe("completed");
});

test("a message over the limit fails the stream without a retry", async () => {
  const text = sse(textDelta("x".repeat(5000)));
  const { end } = await read(cut(bytes(text), [100, 2000, 4000]), responsesWire, { maxMessageLength: 1000 });
  expect(end).toMatchObject({
    retry: "never",
    error: { message: "stream disconnected before completion: a message of the stream is too long" },
  });
});

test("a stream over the limit fails without a retry, also with short messages", async () => {
  const text = sse(...Array.from({ length: 100 }, () => textDelta("x".repeat(100))));
  const { end } = await read(cut(bytes(text), [4000, 8000]), responsesWire, { maxStreamLength: 5000 });
  expect(end).toMatchObject({
    retry: "never",
    error: { message: "stream disconnected before completion: the stream is too long" },
  });
});

test("comments do not reset the idle timeout", async () => {
  const clock = createFakeClock();
  let closed = false;
  async function* chunks() {
    yield ": ping\n\n";
    clock.advance(600);
    yield ": ping\n\n";
    clock.advance(600);
    if (closed) throw new Error("closed");
    yield "";
  }
  const close = () => {
    closed = true;
  };
  const { end } = await read([], responsesWire, { response: { chunks, release() {}, close }, clock });
  expect(end).toMatchObject({
    error: { message: expect.stringContaining("idle timeout waiting for SSE") as string },
  });
});
