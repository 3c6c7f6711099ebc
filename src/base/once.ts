/** Something that is made when it is first asked for, and then kept. What could not be made is tried anew. */
export interface Once<T> {
  readonly get: () => Promise<T>;
  /** What was made; null when nobody has asked yet, or when it could not be made. */
  readonly made: () => Promise<T | null>;
}

export function once<T>(make: () => Promise<T>): Once<T> {
  let kept: Promise<T> | null = null;
  return {
    get() {
      kept ??= make().catch((error: unknown) => {
        kept = null;
        throw error;
      });
      return kept;
    },
    made: () => Promise.resolve(kept).catch(() => null),
  };
}
