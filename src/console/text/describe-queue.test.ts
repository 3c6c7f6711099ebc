import { expect, test } from "vitest";
import { describeHold, describeQueuedTurn, inputText, moved } from "./describe-queue.ts";

const NOW = 1_000_000_000;

test("a queue says why its first turn waits", () => {
  const words = (hold: Parameters<typeof describeHold>[0]) => describeHold(hold, NOW)?.words ?? null;
  expect(words(null)).toBe(null);
  expect(words({ type: "paused", reason: "wait for the release" })).toBe("Paused: wait for the release");
  expect(words({ type: "paused", reason: "" })).toBe("Paused");
  expect(words({ type: "failed", queuedTurnId: "q" })).toBe("Blocked by its first turn");
  expect(words({ type: "turn", turnId: "t" })).toBe("A turn runs");
});

test("a turn says its own state before that of the queue", () => {
  const pending = { status: { type: "pending" } } as const;
  const words = (...args: Parameters<typeof describeQueuedTurn>) => describeQueuedTurn(...args).words;
  expect(words(pending, 0, null, NOW)).toBe("next");
  expect(words(pending, 1, null, NOW)).toBe("waits");
  expect(words(pending, 1, { type: "failed", queuedTurnId: "q" }, NOW)).toBe("waits for the first");
  expect(words({ ...pending, notBefore: NOW / 1000 - 1 }, 0, null, NOW)).toBe("next");
  expect(words({ ...pending, notBefore: NOW / 1000 + 60 }, 0, null, NOW)).toMatch(/^not before /u);
  const failed = { status: { type: "failed", error: { message: "no" } as never } } as const;
  expect(words(failed, 0, { type: "paused", reason: "" }, NOW)).toBe("failed to start");
});

test("an input is its text, and a number of what is no text", () => {
  expect(
    inputText([
      { type: "text", text: " Fix it \n" },
      { type: "image", url: "data:" },
    ]),
  ).toBe("Fix it\n1 attachment");
});

test("an id is moved to a place, and not beyond the ends", () => {
  const ids = ["a", "b", "c"];
  expect([moved(ids, "a", 1), moved(ids, "c", 0), moved(ids, "b", 9), moved(ids, "x", 0)]).toEqual([
    ["b", "a", "c"],
    ["c", "a", "b"],
    ["a", "c", "b"],
    ids,
  ]);
});
