/** What is looked at when a program has ended. Each throws, in one sentence, where it is not so. */
import assert from "node:assert/strict";
import type { EventName } from "../../src/lifecycle/index.ts";
import type { Seen } from "./harness.ts";

export type SeenCheck = (seen: Seen) => void;

/** Whether the command of the model has run. */
export const ran =
  (expected: boolean): SeenCheck =>
  ({ hasRun }) =>
    assert.equal(hasRun, expected, expected ? "the command did not run" : "the command ran");

/** How often the model was asked for something that it could have called tools for. */
export const asked =
  (times: number): SeenCheck =>
  ({ requests }) =>
    assert.equal(requests.length, times, `the model was asked ${requests.length} times, expected ${times}`);

/** Whether the model was told a text. */
export const told =
  (text: string, expected = true): SeenCheck =>
  ({ requests }) => {
    const isTold = requests.some((request) => request.includes(text));
    assert.equal(isTold, expected, `the model ${isTold ? "was" : "was never"} told ${text}`);
  };

export const isShown =
  (text: string): SeenCheck =>
  ({ stdout, stderr }) =>
    assert.ok(stdout.includes(text) || stderr.includes(text), `nobody was shown ${text}`);

/** The events that the program behind the hooks was told of, all of them; some harnesses start several hooks at once. */
export const toldOf =
  (...expected: readonly EventName[]): SeenCheck =>
  ({ events }) => {
    const names = events.map(({ event }) => event);
    assert.deepEqual(
      names.toSorted(),
      expected.toSorted(),
      `it was told of ${names.join(", ") || "nothing"}`,
    );
  };

/** The same for a harness that waits for each hook. */
export const toldInOrder =
  (...expected: readonly EventName[]): SeenCheck =>
  ({ events }) => {
    const names = events.map(({ event }) => event);
    assert.deepEqual(names, expected, `it was told of ${names.join(", ") || "nothing"}`);
  };
