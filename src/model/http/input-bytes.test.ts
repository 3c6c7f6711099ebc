import fc from "fast-check";
import { expect, test } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { createInputBytes } from "./input-bytes.ts";

const said = (text: string): ResponseItem => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text }],
});
const sentAll = () => true;
const parsed = (bytes: Buffer): unknown => JSON.parse(`[${bytes.toString()}]`);

test("encodes only what is new in a conversation", () => {
  let encoded = 0;
  const item = (text: string) => ({ ...said(text), toJSON: () => ({ text, at: (encoded += 1) }) });
  const input = createInputBytes(sentAll);
  const items = [item("a"), item("b")];
  input.of(items, "one");
  expect(input.of([...items, item("c")], "one").toString()).toBe(
    '{"text":"a","at":1},{"text":"b","at":2},{"text":"c","at":3}',
  );
});

test("leaves out what is not sent, wherever it is", () => {
  const input = createInputBytes((item) => item.type !== "other");
  const other: ResponseItem = { type: "other" };
  const items = [other, said("a"), other, said("b"), other];
  expect(parsed(input.of(items, "one"))).toEqual([said("a"), said("b")]);
  expect(parsed(input.of([...items, other, said("c")], "one"))).toEqual([said("a"), said("b"), said("c")]);
  expect(input.of([other], undefined).length).toBe(0);
});

test("does not change bytes that an earlier request refers to", () => {
  const input = createInputBytes(sentAll);
  const [a, b] = [said("a"), said("b")];
  const first = input.of([a], "one");
  const second = input.of([a, b], "one");
  const replaced = input.of([said("x")], "one");
  expect([first, second, replaced].map(parsed)).toEqual([[a], [a, b], [said("x")]]);
});

test("a failed item leaves the conversation as it was", () => {
  const input = createInputBytes(sentAll);
  const broken = { ...said("b"), size: 1n };
  const a = said("a");
  input.of([a], "one");
  expect(() => input.of([a, broken], "one")).toThrow(TypeError);
  expect(parsed(input.of([a, said("c")], "one"))).toEqual([a, said("c")]);
});

test("keeps the conversations that were used last, up to a number of bytes", () => {
  let encoded: string[] = [];
  const long = (text: string) => ({
    ...said(text),
    toJSON() {
      encoded.push(text);
      return text.repeat(3000);
    },
  });
  const input = createInputBytes(sentAll, 9000);
  const [a, b, c, huge] = [long("a"), long("b"), long("c"), long("huge")];
  for (const [item, name] of [
    [a, "A"],
    [b, "B"],
    [a, "A"],
    [c, "C"],
    [huge, "H"],
    [a, "A"],
  ] as const)
    input.of([item], name);
  expect(encoded).toEqual(["a", "b", "c", "huge"]);
  encoded = [];
  input.of([b], "B");
  input.of([huge], "H");
  expect(encoded).toEqual(["b", "huge"]);
});

test("is the JSON of the items, whatever happened before", () => {
  const pool = fc.string({ unit: "binary" }).map(said);
  const step = fc.record({
    conversation: fc.constantFrom("one", "two"),
    kept: fc.nat(6),
    more: fc.array(pool, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const input = createInputBytes(sentAll, 20_000);
      const histories: Record<string, ResponseItem[]> = { one: [], two: [] };
      for (const { conversation, kept, more } of steps) {
        const history = histories[conversation] ?? [];
        const items = [...(kept < 2 ? history.slice(0, kept) : history), ...more];
        histories[conversation] = items;
        const text = JSON.stringify(items);
        expect(`[${input.of(items, conversation).toString()}]`).toBe(text);
      }
    }),
  );
});
