import fc from "fast-check";
import { expect, test } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { compactedHistory, countTokens, isSummary, messageTextOf } from "./compacted-history.ts";
import { dropOldest, shrinkCompacted } from "./shorten-history.ts";

const user = (text: string): ResponseItem => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text }],
});
const call = (id: string): ResponseItem => ({
  type: "function_call",
  call_id: id,
  name: "x",
  arguments: "{}",
});
const output = (id: string, text = "ok"): ResponseItem => ({
  type: "function_call_output",
  call_id: id,
  output: text,
});

const WIDE = 1_000_000;

test("the oldest of a short history goes, with what answers it", () => {
  expect(dropOldest([user("a"), user("b")], WIDE)).toEqual([user("b")]);
  expect(dropOldest([call("1"), output("1"), user("b")], WIDE)).toEqual([user("b")]);
});

test("of a long history an eighth goes at once, and so much that the rest could fit", () => {
  const many = Array.from({ length: 80 }, (_, index) => user(`${index}`));
  expect(dropOldest(many, WIDE)).toEqual(many.slice(10));
  const total = (items: readonly ResponseItem[]) => items.reduce((sum, item) => sum + countTokens(item), 0);
  const window = Math.floor(total(many) / 2);
  const left = dropOldest(many, window) ?? [];
  expect(total(left)).toBeLessThanOrEqual(window);
  expect(total(many.slice(-left.length - 1))).toBeGreaterThan(window);
});

test("a single message loses its pictures and half of its words, down to a short one", () => {
  const picture = { type: "input_image" as const, image_url: "data:image/png;base64,AA" };
  const shown: ResponseItem = {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: "look" }, picture],
  };
  expect(dropOldest([shown], WIDE)).toEqual([user("look")]);
  expect(dropOldest([user("short")], WIDE)).toBeNull();
  expect(dropOldest([output("1")], WIDE)).toEqual([]);
  expect(dropOldest([], WIDE)).toBeNull();
});

const rules: ResponseItem = {
  type: "message",
  role: "developer",
  content: [{ type: "input_text", text: "RULES ".repeat(1000) }],
};
const [summary = rules] = compactedHistory({
  userMessages: [],
  context: [],
  summary: "要約".repeat(2100),
  messageId: "msg_1",
  contextWindow: WIDE,
});

test("of a compacted history the oldest goes first, then words of the last message and the summary, never the rules", () => {
  const olds = ["a", "b", "c"].map(user);
  const work = [call("1"), output("1")];
  const last = user("字".repeat(1000));
  let left: ResponseItem[] | null = [...olds, rules, ...work, last, summary];
  const steps: ResponseItem[][] = [];
  while (left !== null) {
    expect(left).toContainEqual(rules);
    left = shrinkCompacted(left);
    if (left !== null) steps.push(left);
  }
  expect(steps[0]).toEqual([rules, ...work, last, summary]);
  expect(steps[1]).toEqual([rules, last, summary]);
  expect(steps.slice(2).every((items) => items.length === 3)).toBe(true);
  const sizes = steps.map((items) => items.reduce((sum, item) => sum + countTokens(item), 0));
  expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
  expect(
    steps
      .at(-1)
      ?.slice(1)
      .every((item) => messageTextOf(item).length <= 800),
  ).toBe(true);
  expect(steps.length).toBeLessThan(12);
  expect(isSummary(steps.at(-1)?.at(-1) ?? rules)).toBe(true);
});

test("comes to an end in few steps, whatever it holds, and parts no call from its output", () => {
  const items = fc.oneof(
    fc.string().map((text) => [user(text)]),
    fc.constantFrom("\n", "\u0001", "\ud800", '"').map((one) => [user(one.repeat(50_000))]),
    fc.tuple(fc.uuid(), fc.string()).map(([id, text]) => [call(id), user("steered"), output(id, text)]),
  );
  fc.assert(
    fc.property(
      fc.array(items, { maxLength: 100 }),
      fc.integer({ min: 1, max: 50_000 }),
      (groups, window) => {
        let left: ResponseItem[] | null = groups.flat();
        let steps = 0;
        while (left !== null) {
          const ids = left.flatMap((item) => ("call_id" in item ? [item.call_id] : []));
          expect(new Set(ids).size * 2).toBe(ids.length);
          left = dropOldest(left, window);
          steps += 1;
        }
        expect(steps).toBeLessThan(70);
      },
    ),
    { numRuns: 50 },
  );
});
