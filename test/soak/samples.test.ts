import { expect, test } from "vitest";
import { judgeSamples, type Sample } from "./samples.ts";

const level = (at: number): Sample => ({
  atMs: at,
  memoryMb: 100 + (at % 7),
  descriptors: 40 + (at % 3),
  children: 2,
  timers: 30 + (at % 5),
  delayMs: 5,
});
const series = (change: (at: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 80 }, (_, at) => ({ ...level(at), ...change(at) }));
const growing = (samples: readonly Sample[]): string[] =>
  judgeSamples(samples).flatMap(({ measure, isLevel }) => (isLevel ? [] : [measure]));

test.each<[string, (at: number) => Partial<Sample>, string[]]>([
  ["nothing grows", () => ({}), []],
  ["it has to warm up", (at) => ({ memoryMb: at < 20 ? 50 + at * 3 : 110 }), []],
  ["one sample is odd", (at) => ({ delayMs: at === 79 ? 900 : 5 }), []],
  ["memory grows", (at) => ({ memoryMb: 100 + at }), ["memoryMb"]],
  ["files stay open", (at) => ({ descriptors: 40 + at / 2 }), ["descriptors"]],
  ["children stay behind", (at) => ({ children: Math.floor(at / 10) }), ["children"]],
  ["timers stay set", (at) => ({ timers: 30 + at }), ["timers"]],
  ["it gets slower", (at) => ({ delayMs: 5 + 2 * at }), ["delayMs"]],
])("where %s", (_name, change, expected) => {
  expect(growing(series(change))).toEqual(expected);
});

test("a few samples are no answer", () => {
  expect(() => judgeSamples([level(0)])).toThrow("let it run for longer");
});
