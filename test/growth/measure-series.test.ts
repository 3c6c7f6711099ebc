import { expect, test } from "vitest";
import { measureSeries } from "./measure-series.ts";
import { undisturbed } from "./operation-time.ts";
import type { Series } from "./series.ts";

const NOWHERE = { program: { command: "none", args: [] }, homes: "/none" };

/** A series whose values are the round number, and the measured sizes in order. */
function scripted(): { readonly series: Series; readonly visited: number[] } {
  const visited: number[] = [];
  const series: Series = {
    id: "some",
    sizeOf: "things",
    sizes: [1, 2, 4],
    curves: [
      { id: "turn", title: "a turn", unit: "ms" },
      { id: "memory", title: "memory", unit: "KB" },
      { id: "missing", title: "what is not measured", unit: "KB" },
    ],
    measure: (_side, size) => {
      visited.push(size);
      const round = Math.ceil(visited.length / 3);
      return Promise.resolve({ turn: size + round, memory: size * round });
    },
  };
  return { series, visited };
}

test("sizes are visited upwards and downwards in turn", async () => {
  const { series, visited } = scripted();
  await measureSeries(series, NOWHERE, 3);
  expect(visited).toEqual([1, 2, 4, 4, 2, 1, 1, 2, 4]);
});

test("of times the quietest round counts, of anything else the middle one", async () => {
  const { turn, memory, missing } = await measureSeries(scripted().series, NOWHERE, 3);
  expect(turn).toEqual([1, 2, 4].map((size) => ({ size, value: size + 1 })));
  expect(memory).toEqual([1, 2, 4].map((size) => ({ size, value: size * 2 })));
  expect(missing?.map(({ value }) => value)).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});

test.each([
  [[8, 7, 6, 5, 4, 3, 2, 1], 3],
  [[900, 5, 800, 6], 6],
  [[7], 7],
  [[], Number.NaN],
])("of %j the undisturbed time is %d", (found, time) => {
  expect(undisturbed(found)).toBe(time);
});
