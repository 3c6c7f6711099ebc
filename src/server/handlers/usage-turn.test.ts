import { expect, test } from "vitest";
import type { Turn } from "../../protocol/generated/types.ts";
import { usageTurnOf } from "./usage-turn.ts";

const turn = (id: string, status: Turn["status"]) => ({ id, status }) as Turn;
const DONE = turn("done", "completed");
const FAILED = turn("failed", "failed");
const CUT = turn("cut", "interrupted");

test.each<[string, string | null, readonly Turn[], string | null]>([
  ["the turn that is known", "done", [DONE, FAILED], "done"],
  ["one that was cut off, where that is known", "cut", [DONE, CUT], "cut"],
  ["the last that was answered, where none is known", null, [DONE, FAILED, CUT], "failed"],
  ["the last that was answered, where another is known", "gone", [DONE, CUT], "done"],
  ["the only one there is", null, [CUT], "cut"],
  ["the turn that is known, to who is shown none", "done", [], "done"],
  ["nobody, to who is shown none", null, [], null],
])("tokens are put down to %s", (_, usageTurnId, turns, expected) => {
  expect(usageTurnOf({ usageTurnId }, turns)).toBe(expected);
});
