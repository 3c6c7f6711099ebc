/** Counts continuations of harness frames in the database, because each hook call is a new process. */
import type { ContinuationCounter } from "../../../lifecycle/dispatch/continuations.ts";
import type { Connection } from "./connection.ts";

const COUNT = "SELECT count FROM continuations WHERE frame = ?";
const ADD = `
  INSERT INTO continuations (frame, count) VALUES (?, 1)
  ON CONFLICT (frame) DO UPDATE SET count = count + 1`;
const RESET = "DELETE FROM continuations WHERE frame = ?";
const OLDEST = "DELETE FROM continuations WHERE number <= (SELECT MAX(number) FROM continuations) - ?";

/** The oldest frames are evicted first. */
export const MAX_FRAMES = 10_000;

export function createSqliteContinuations(
  { prepare, write }: Pick<Connection, "prepare" | "write">,
  maxFrames = MAX_FRAMES,
): ContinuationCounter {
  return {
    count: (frame) => (prepare(COUNT).get(frame) as { readonly count: number } | undefined)?.count ?? 0,
    add: (frame) =>
      write(() => {
        prepare(ADD).run(frame);
        prepare(OLDEST).run(maxFrames);
      }),
    reset: (frame) => write(() => void prepare(RESET).run(frame)),
  };
}
