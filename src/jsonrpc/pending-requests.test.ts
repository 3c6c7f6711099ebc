import { expect, test } from "vitest";
import { createFirstRequestId } from "./pending-requests.ts";

test("the first id is a random integer with room to increment", () => {
  expect(createFirstRequestId(() => 1 - 2 ** -53)).toBe(2 ** 52 - 1);
  expect(createFirstRequestId(() => 0)).toBe(0);
  const drawn = Array.from({ length: 1000 }, () => createFirstRequestId(Math.random));
  expect(drawn.every((id) => Number.isSafeInteger(id) && id >= 0)).toBe(true);
  expect(new Set(drawn).size).toBe(1000);
});
