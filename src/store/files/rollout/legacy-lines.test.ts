import fc from "fast-check";
import { expect, test } from "vitest";
import type { ThreadItem } from "../../../protocol/generated/types.ts";
import { legacyItem } from "../../lines/legacy-items.ts";
import { itemCompleted, taskStarted } from "../../lines/turn-lines.ts";
import { toLegacyLines } from "./legacy-lines.ts";

const completed = (item: ThreadItem) =>
  itemCompleted({ threadId: "t", turnId: "u", item, startedAtMs: 1, completedAtMs: 2 });
const reread = (item: ThreadItem) =>
  toLegacyLines(completed(item)).map(({ payload }) => legacyItem(payload, () => item.id));

test("messages come back as they were", () => {
  const words = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "");
  fc.assert(
    fc.property(words, words, fc.option(fc.uuid()), (text, path, clientId) => {
      const content = [
        { type: "text" as const, text, text_elements: [] },
        { type: "image" as const, url: "data:image/png;base64,AA==", detail: "high" as const },
        { type: "localImage" as const, detail: null, path },
      ];
      const user: ThreadItem = { type: "userMessage", id: "1", clientId, content };
      const agent = { type: "agentMessage", id: "2", text, phase: "final_answer", memoryCitation: null };
      expect(reread(user)).toEqual([user]);
      expect(reread(agent as ThreadItem)).toMatchObject([agent]);
    }),
  );
});

test("several texts become one, with the elements where they were", () => {
  const element = (start: number, end: number) => ({ byteRange: { start, end }, placeholder: "p" });
  const content = ["é ", "b"].map((text, at) => ({
    type: "text" as const,
    text,
    text_elements: [element(at, at + 1)],
  }));
  const user: ThreadItem = { type: "userMessage", id: "1", clientId: null, content };
  expect(reread(user)).toEqual([
    { ...user, content: [{ type: "text", text: "é b", text_elements: [element(0, 1), element(4, 5)] }] },
  ]);
});

test("reasoning is told part by part", () => {
  const item: ThreadItem = { type: "reasoning", id: "1", summary: ["a", "b"], content: ["c"] };
  expect(reread(item)).toEqual([
    { type: "reasoning", id: "1", summary: ["a"], content: [] },
    { type: "reasoning", id: "1", summary: ["b"], content: [] },
    { type: "reasoning", id: "1", summary: [], content: ["c"] },
  ]);
});

test("all other lines stay as they are", () => {
  const start = taskStarted({
    turnId: "u",
    startedAt: 1,
    modelContextWindow: null,
    collaborationMode: "default",
  });
  const plan = completed({ type: "plan", id: "1", text: "first" });
  expect([toLegacyLines(start), toLegacyLines(plan)]).toEqual([[start], [plan]]);
});
