import { createDeferred } from "./tasks.ts";

/** Long work in slices, between which everything else gets its turn. */
export interface TimeSlices {
  /** Whether it is the turn of others; to be asked after each step. */
  isOver(): boolean;
  /** Resolves when they have had it. */
  next(): Promise<void>;
  /** Both at once: to be awaited between two steps, and nothing while the slice lasts. */
  pause(): Promise<void> | undefined;
}

export interface SliceOptions {
  readonly sliceMs: number;
  /** Looking at the clock may cost as much as a short step of the work. */
  readonly stepsPerLook: number;
}

/** So long may work hold up everything else. */
const READING: SliceOptions = { sliceMs: 10, stepsPerLook: 1 };
/** Short enough that nobody notices, and long enough that what is written after each is worth a write. */
export const ANSWERING: SliceOptions = { sliceMs: 40, stepsPerLook: 16 };

/** For what is done often, while others wait for answers. */
export const SHORT: SliceOptions = { sliceMs: 1, stepsPerLook: 1 };

export function createTimeSlices(
  now: () => number,
  { sliceMs, stepsPerLook }: SliceOptions = READING,
): TimeSlices {
  let end = now() + sliceMs;
  let steps = 0;
  const isOver = () => ++steps % stepsPerLook === 0 && now() >= end;
  const next = async (): Promise<void> => {
    await nextTurn();
    end = now() + sliceMs;
  };
  return { isOver, next, pause: () => (isOver() ? next() : undefined) };
}

/** For steps that want to be taken at the same time: they take them one after the other, in slices. */
export type Lane = <T>(step: () => T | Promise<T>) => Promise<T>;

/** A step that gives a promise is not waited for by the next one. */
export function createLane(slices: TimeSlices): Lane {
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

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
