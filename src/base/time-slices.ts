import { createDeferred } from "./tasks.ts";

/** Splits long work into slices, between which the event loop runs. */
export interface TimeSlices {
  /** Whether the slice is used up; called after each step. */
  isOver(): boolean;
  /** Yields to the event loop and starts the next slice. */
  next(): Promise<void>;
  /** Awaited between two steps: yields if the slice is used up, and is undefined otherwise. */
  pause(): Promise<void> | undefined;
}

export interface SliceOptions {
  readonly sliceMs: number;
  /** The clock is read only after this many steps, because that may cost as much as a short step. */
  readonly stepsPerClockRead: number;
}

/** Blocks the event loop for at most 10 ms. */
const DEFAULT_SLICES: SliceOptions = { sliceMs: 10, stepsPerClockRead: 1 };
/** For streamed output: short enough not to be noticed, and long enough that each slice fills a write. */
export const STREAMING_SLICES: SliceOptions = { sliceMs: 40, stepsPerClockRead: 16 };

/** For frequent work while other requests are pending. */
export const SHORT_SLICES: SliceOptions = { sliceMs: 1, stepsPerClockRead: 1 };

export function createTimeSlices(
  now: () => number,
  { sliceMs, stepsPerClockRead }: SliceOptions = DEFAULT_SLICES,
): TimeSlices {
  let end = now() + sliceMs;
  let steps = 0;
  const isOver = () => ++steps % stepsPerClockRead === 0 && now() >= end;
  const next = async (): Promise<void> => {
    await yieldToEventLoop();
    end = now() + sliceMs;
  };
  return { isOver, next, pause: () => (isOver() ? next() : undefined) };
}

/** Runs the steps of concurrent callers one after the other, in slices. */
export type SliceQueue = <T>(step: () => T | Promise<T>) => Promise<T>;

/** The next step does not wait for the promise that a step returns. */
export function createSliceQueue(slices: TimeSlices): SliceQueue {
  let last = Promise.resolve();
  return async (step) => {
    const turn = createDeferred<void>();
    const before = last;
    last = turn.promise;
    await before;
    await slices.pause();
    try {
      return step();
    } finally {
      turn.resolve();
    }
  };
}

export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
