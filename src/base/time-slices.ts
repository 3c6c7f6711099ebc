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

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
