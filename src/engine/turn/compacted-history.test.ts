import { expect, test } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { compactedHistory, countTokens, isSummary } from "./compacted-history.ts";

const user = (text: string): ResponseItem => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text }],
});
const context = [user("context")];
const compactUserMessages = (userMessages: ResponseItem[], contextWindow = 272_000) =>
  compactedHistory({ userMessages, context, summary: "the summary", messageId: "m", contextWindow });

/** The texts of a history without its last item, the summary. */
function textsOf(history: readonly ResponseItem[]): string[] {
  expect(isSummary(history.at(-1) ?? user(""))).toBe(true);
  return history
    .slice(0, -1)
    .map((item) => (item.type === "message" && "text" in (item.content[0] ?? {}) ? textOf(item) : ""));
}

function textOf(item: Extract<ResponseItem, { type: "message" }>): string {
  const [part] = item.content;
  return part !== undefined && "text" in part ? part.text : "";
}

test("the context stands before the last words of the user", () => {
  expect(textsOf(compactUserMessages([user("one"), user("two"), user("three")]))).toEqual([
    "one",
    "two",
    "context",
    "three",
  ]);
});

test("without words of the user there is the context and the summary", () => {
  expect(textsOf(compactUserMessages([]))).toEqual(["context"]);
});

test("a summary is no word of the user", () => {
  const earlier = compactUserMessages([]).at(-1) ?? user("");
  expect(textsOf(compactUserMessages([user("one"), earlier, user("two")]))).toEqual([
    "one",
    "context",
    "two",
  ]);
});

test("of too many words the newest stay, and the one at the limit loses its middle", () => {
  const long = `begin${"x".repeat(60_000)}end`;
  const kept = textsOf(compactUserMessages([user("oldest"), user(`A${long}`), user(`B${long}`)]));
  expect(kept.length).toBe(3);
  const [cut = "", , whole = ""] = kept;
  expect(whole).toBe(`B${long}`);
  expect([cut.startsWith("Abegin"), cut.endsWith("end"), cut.includes("\n[...]\n")]).toEqual([
    true,
    true,
    true,
  ]);
  expect(countTokens(user(cut)) + countTokens(user(whole))).toBeLessThan(20_100);
});

test("of a message whose picture does not fit the words stay, each once, and leave room for older ones", () => {
  const picture = { type: "input_image" as const, image_url: `data:${"x".repeat(100_000)}` };
  const shown: ResponseItem = {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: "look" }, picture],
  };
  expect(textsOf(compactUserMessages([user("old"), shown]))).toEqual(["old", "context", "look"]);
});

test("a cut leaves no half of a character", () => {
  const [, cut = ""] = textsOf(compactUserMessages([user(`a${"😀".repeat(60_000)}`)]));
  expect(Buffer.from(cut).toString()).toBe(cut);
  expect(cut.startsWith("a😀")).toBe(true);
});

test("in a small window the words of users take no more than a quarter", () => {
  const kept = compactUserMessages([user("a".repeat(8000)), user("b".repeat(8000))], 8192).slice(0, -1);
  const tokens = kept.reduce((sum, item) => sum + countTokens(item), 0);
  expect(tokens).toBeLessThan(8192 / 4 + 200);
  expect(textsOf(compactUserMessages([user("b".repeat(20_000))], 8192))[1]?.length).toBeLessThan(8200);
});
