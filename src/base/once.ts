/** Something that is made when it is first asked for, and then kept. */
export interface Once<T> {
  readonly get: () => Promise<T>;
  /** What was made; null when nobody has asked yet. */
  readonly made: () => Promise<T> | null;
}

export function once<T>(make: () => Promise<T>): Once<T> {
  let kept: Promise<T> | null = null;
  return {
    get() {
      kept ??= make();
      return kept;
    },
    made: () => kept,
  };
}
