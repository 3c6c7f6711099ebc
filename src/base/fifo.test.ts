import fc from "fast-check";
import { expect, test } from "vitest";
import { createFifo } from "./fifo.ts";

test("behaves as an array does, under any operations", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(), fc.constant("shift" as const)), { maxLength: 5000 }), (steps) => {
      const fifo = createFifo<number>();
      const model: number[] = [];
      for (const step of steps) {
        if (step === "shift") expect(fifo.shift()).toBe(model.shift());
        else {
          fifo.push(step);
          model.push(step);
        }
        expect([fifo.size, fifo.peek()]).toEqual([model.length, model[0]]);
      }
    }),
    { numRuns: 30 },
  );
});

test("keeps nothing of what was taken out", () => {
  const fifo = createFifo<number>();
  let right = 0;
  for (let i = 0; i < 100_000; i++) {
    fifo.push(i);
    if (fifo.shift() === i) right += 1;
  }
  expect([right, fifo.size, fifo.peek()]).toEqual([100_000, 0, undefined]);
});
