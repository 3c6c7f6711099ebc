import fc from "fast-check";
import { expect, test } from "vitest";
import { createGapDetector, findGaps } from "./gaps.ts";

test("what is missing is found, and nothing else", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 60 })),
      fc.integer({ min: 0, max: 60 }),
      (present, last) => {
        const highest = Math.max(last, ...present);
        const missing = findGaps("run", present, last).flatMap(({ from, to }) =>
          Array.from({ length: to - from + 1 }, (_, index) => from + index),
        );
        expect([...missing, ...present].sort((one, other) => one - other)).toEqual(
          Array.from({ length: highest }, (_, index) => index + 1),
        );
      },
    ),
  );
});

test("a listener notices a hole when it hears of the next receipt", () => {
  const detector = createGapDetector(2);
  const hear = (harness_run_id: string, sequence: number | null) =>
    detector.observe({ harness_run_id, sequence });
  expect([hear("A", 7), hear("A", 8), hear("B", 1), hear("A", 11)]).toEqual([
    null,
    null,
    null,
    { run_id: "A", from: 9, to: 10 },
  ]);
  expect([hear("A", 11), hear("A", 3), hear("A", 12), hear("A", null)]).toEqual([null, null, null, null]);
  expect(detector.observe({ sequence: 5 })).toBeNull();
  hear("C", 1);
  // B was the least recently active run, and is no longer tracked.
  expect(hear("B", 9)).toBeNull();
});
