import type { Clock } from "./clock.ts";

/** Long work in slices, between which everything else gets its turn. */
export interface TimeSlices {
  /** Whether it is the turn of others; to be asked after each step. */
  isOver(): boolean;
  /** Resolves when they have had it. */
  next(): Promise<void>;
}

/** Short enough that nobody notices, and long enough that what is written after each is worth a write. */
const SLICE_MS = 40;
/** Looking at the clock costs as much as a short step of the work. */
const STEPS_PER_LOOK = 16;

export function createTimeSlices(clock: Pick<Clock, "monotonic">, sliceMs = SLICE_MS): TimeSlices {
  let end = clock.monotonic() + sliceMs;
  let steps = 0;
  return {
    isOver: () => ++steps % STEPS_PER_LOOK === 0 && clock.monotonic() >= end,
    async next() {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      end = clock.monotonic() + sliceMs;
    },
  };
}
