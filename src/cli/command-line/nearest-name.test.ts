import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editDistance, nearestName } from "./nearest-name.ts";

const names = ["serve", "app-server", "exec", "queue", "threads", "hooks", "help"];

test.each([
  ["serv", "serve"],
  ["sevre", "serve"],
  ["quue", "queue"],
  ["hook", "hooks"],
  ["th", "threads"],
  ["app-sever", "app-server"],
  ["x", null],
  ["frobnicate", null],
  ["", null],
  [`serve${"e".repeat(1_000_000)}`, null],
])("the nearest name of %s is %s", (word, name) => {
  expect(nearestName(word, names)).toBe(name);
});

describe("edit distance", () => {
  const word = fc.string({ maxLength: 12, unit: fc.constantFrom("a", "b", "c") });

  test("is zero exactly for equal words, and symmetric", () => {
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(editDistance(one, other) === 0).toBe(one === other);
        expect(editDistance(other, one)).toBe(editDistance(one, other));
      }),
    );
  });

  test("is one for a transposition, an insertion, a deletion and a substitution", () => {
    fc.assert(
      fc.property(word, word, (before, after) => {
        const whole = `${before}xy${after}`;
        for (const slip of [
          `${before}yx${after}`,
          `${before}x${after}`,
          `${before}xzy${after}`,
          `${before}xz${after}`,
        ])
          expect(editDistance(whole, slip)).toBe(1);
      }),
    );
  });
});
