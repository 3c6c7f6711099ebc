import { expect, test } from "vitest";
import { createdOrderMs, createdRange, nameTimeMs } from "../rollout/rollout-name.ts";

const TIME = "2026-11-15T09-24-31";
const NAMED = nameTimeMs(TIME);
const HOUR = 3_600_000;
const RANDOM = "5b0a0d6e-7c1c-4d0f-9f5e-1b7a8c9d0e1f";

function idOf(ms: number): string {
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000001`;
}

function named(threadId: string, rolloutId = threadId) {
  return { threadId, rolloutId, time: TIME };
}

test.each([
  ["the time told, within seconds of the name", RANDOM, NAMED + 900, NAMED + 900],
  ["the name, where the file tells a time far from it", RANDOM, NAMED + 90 * HOUR, NAMED],
  [
    "the time told, where the id tells it too: the name is of another zone",
    idOf(NAMED - 7 * HOUR),
    NAMED - 7 * HOUR + 5,
    NAMED - 7 * HOUR + 5,
  ],
  ["the name, where the id is further off than zones are", idOf(NAMED - 90 * HOUR), NAMED - 90 * HOUR, NAMED],
  ["the name, for the last day there is", RANDOM, 8.64e15, NAMED],
])("a list by creation goes by %s", (_what, id, told, expected) => {
  const order = createdOrderMs(named(id), told);
  const { earliest, latest } = createdRange(named(id));
  expect([order, earliest <= order && order <= latest]).toEqual([expected, true]);
});

test("a file that a revert made may be of any time", () => {
  const name = named(RANDOM, idOf(NAMED));
  expect([createdOrderMs(name, 5), createdRange(name)]).toEqual([
    5,
    { earliest: Number.NEGATIVE_INFINITY, latest: Number.POSITIVE_INFINITY },
  ]);
});
