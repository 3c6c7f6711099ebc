import { expect, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { createCursors } from "./stream-cursor.ts";

const EPOCH_MS = Date.UTC(2024, 9, 9);
const at = (interval: number, rest = 0) => createFakeClock(EPOCH_MS + interval * 20_000 + rest);

test.each([
  [null, "1000"],
  ["999", "1000"],
  ["1000", "1001"],
  ["5000", "5001"],
  ["", "1000"],
  ["a cursor", "1000"],
  ["-5", "1000"],
  ["99999999999999999999", "1000"],
])("a reader with the cursor %j gets %j", (ofReader, expected) => {
  expect(createCursors(ofReader, { clock: at(1000, 19_999), random: () => 0 })()).toBe(expected);
});

test("the jitter is an hour at most", () => {
  expect(createCursors("1000", { clock: at(1000), random: () => 0.999_999 })()).toBe("1180");
});

test("cursors of one answer never go back", () => {
  const clock = at(1000);
  const next = createCursors("1002", { clock, random: () => 0 });
  const cursors = [next()];
  for (let count = 0; count < 5; count += 1) {
    clock.advance(20_000);
    cursors.push(next());
  }
  expect(cursors).toEqual(["1003", "1003", "1003", "1003", "1004", "1005"]);
});
