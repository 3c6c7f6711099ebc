/** Random choices from a seed. */

export type Random = {
  /** From 0 inclusive to 1 exclusive. */
  next(): number;
  /** An integer from 0 inclusive to the limit exclusive. */
  below(limit: number): number;
  chance(probability: number): boolean;
  /** One element of the list, which must not be empty. */
  pick<T>(list: readonly T[]): T;
};

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)]!,
  };
}
