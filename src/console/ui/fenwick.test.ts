import fc from "fast-check";
import { expect, test } from "vitest";
import { createFenwick } from "./fenwick.ts";

const heights = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 200 });

test("sums and positions are those of the plain list, after any change", () => {
  fc.assert(
    fc.property(heights, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 500 }))), (start, changes) => {
      const plain = [...start];
      const fenwick = createFenwick(start);
      for (const [at, value] of changes) {
        const index = at % (plain.length + 1);
        if (index === plain.length) {
          plain.push(value);
          fenwick.push(value);
        } else {
          plain[index] = value;
          fenwick.set(index, value);
        }
      }
      let sum = 0;
      for (const [index, value] of plain.entries()) {
        expect(fenwick.before(index)).toBe(sum);
        expect([fenwick.at(sum), fenwick.at(sum + value - 1)]).toEqual([index, index]);
        sum += value;
      }
      expect([fenwick.total(), fenwick.at(sum + 1)]).toEqual([sum, plain.length - 1]);
    }),
  );
});
