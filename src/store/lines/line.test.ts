import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NOW } from "../files/rollout/rollout.fixture.ts";
import { parseLine, prepareLine } from "./line.ts";

describe("a line", () => {
  test("is written with its time, its ordinal, its type and its payload, in this order", () => {
    const body = { type: "world_state", payload: { full: true, state: {} } } as const;
    const line = prepareLine(body, NOW);
    expect([line.withOrdinal(7), line.withOrdinal(null)]).toEqual([
      '{"timestamp":"2026-11-15T09:24:31.595Z","ordinal":7,"type":"world_state","payload":{"full":true,"state":{}}}\n',
      '{"timestamp":"2026-11-15T09:24:31.595Z","type":"world_state","payload":{"full":true,"state":{}}}\n',
    ]);
  });

  test("round-trips with any payload", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()),
        fc.nat(),
        (members, ordinal) => {
          const payload = JSON.parse(JSON.stringify({ ...members, type: "x" })) as { type: string };
          const text = prepareLine({ type: "event_msg", payload }, NOW).withOrdinal(ordinal);
          expect(text.indexOf("\n")).toBe(text.length - 1);
          expect(parseLine(text)).toEqual({
            kind: "line",
            line: { timestamp: "2026-11-15T09:24:31.595Z", type: "event_msg", payload, ordinal },
          });
        },
      ),
    );
  });

  test("replaces lone surrogates, and preserves text that only resembles their escapes", () => {
    const payload = { type: "x", half: "a\ud83d", text: String.raw`\ud83d`, whole: "😀" };
    const text = prepareLine({ type: "event_msg", payload }, NOW).withOrdinal(0);
    expect(parseLine(text)).toMatchObject({
      line: { payload: { type: "x", half: "a\ufffd", text: String.raw`\ud83d`, whole: "😀" } },
    });
  });

  test("of an unknown kind keeps all its members", () => {
    const text = '{"timestamp":"t","type":"new_kind","payload":{"a":1},"extra":[2]}';
    expect(parseLine(text)).toEqual({
      kind: "line",
      line: { timestamp: "t", type: "new_kind", payload: { a: 1 }, extra: [2] },
    });
  });

  test.each([
    ['{"type":"x","payload":{},"extra":1}', { timestamp: "", type: "x", payload: {}, extra: 1 }],
    ['{"timestamp":5,"type":"x","payload":{},"ordinal":1}', { timestamp: "", ordinal: 1 }],
    ['{"timestamp":"t","type":"x","payload":{},"ordinal":"1"}', { timestamp: "t", type: "x", payload: {} }],
    ['{"timestamp":"t","type":"x","payload":{},"ordinal":0.5}', { timestamp: "t", type: "x", payload: {} }],
  ])("reads a time and an ordinal of the wrong type as absent: %j", (text, line) => {
    const expected = { type: "x", payload: {}, ...line };
    expect(parseLine(text)).toEqual({ kind: "line", line: expected });
  });

  test.each([
    ["", { kind: "blank" }],
    [" \r", { kind: "blank" }],
    ['{"type":"x"', { kind: "bad", reason: "not JSON" }],
    ["[1]", { kind: "bad", reason: "not an object" }],
    ['{"payload":{}}', { kind: "bad", reason: "no type" }],
    ['{"type":"x","payload":"y"}', { kind: "bad", reason: "no payload" }],
  ])("that says nothing is told apart: %j", (text, outcome) => {
    expect(parseLine(text)).toEqual(outcome);
  });
});
