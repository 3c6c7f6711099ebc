/** A set of callbacks that come and go. */
export interface Observers<A extends readonly unknown[]> {
  /** Returns the function that removes it. */
  add(observer: (...values: A) => void): () => void;
  call(...values: A): void;
}

export function createObservers<A extends readonly unknown[]>(): Observers<A> {
  const all = new Set<(...values: A) => void>();
  return {
    add(observer) {
      all.add(observer);
      return () => void all.delete(observer);
    },
    call(...values) {
      for (const observer of all) observer(...values);
    },
  };
}
