/** Long work that lets other work have its turn. */

/** So long may work hold up everything else. */
const SLICE_MS = 10;

export interface TimeSlice {
  /** To be awaited between two steps; comes back at once while the slice lasts. */
  pause(): Promise<void> | undefined;
  readonly isOver: boolean;
}

export function createTimeSlice(now: () => number): TimeSlice {
  let end = now() + SLICE_MS;
  const slice = {
    get isOver() {
      return now() >= end;
    },
    pause: () => (slice.isOver ? renew() : undefined),
  };
  const renew = async (): Promise<void> => {
    await nextTurn();
    end = now() + SLICE_MS;
  };
  return slice;
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
