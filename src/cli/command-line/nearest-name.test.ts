import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countSlips, nearestName } from "./nearest-name.ts";

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
])("%s is near to %s", (word, name) => {
  expect(nearestName(word, names)).toBe(name);
});

describe("slips", () => {
  const word = fc.string({ maxLength: 12, unit: fc.constantFrom("a", "b", "c") });

  test("are none exactly between equal words, and as many the other way", () => {
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(countSlips(one, other) === 0).toBe(one === other);
        expect(countSlips(other, one)).toBe(countSlips(one, other));
      }),
    );
  });

  test("a swap, an addition, a loss and a replacement are one each", () => {
    fc.assert(
      fc.property(word, word, (before, after) => {
        const whole = `${before}xy${after}`;
        for (const slip of [
          `${before}yx${after}`,
          `${before}x${after}`,
          `${before}xzy${after}`,
          `${before}xz${after}`,
        ])
          expect(countSlips(whole, slip)).toBe(1);
      }),
    );
  });
});
