/** Sums of heights: a change and the search for a position take logarithmic time. */
export interface Fenwick {
  get(index: number): number;
  set(index: number, value: number): void;
  push(value: number): void;
  /** The sum of the values before an index. */
  before(index: number): number;
  total(): number;
  /** The index of the value that contains an offset; the last one for an offset beyond the end. */
  at(offset: number): number;
}

export function createFenwick(initial: Iterable<number> = []): Fenwick {
  const values: number[] = [];
  /** One-based: `tree[i]` is the sum of the values that end at `i`, as many as the lowest bit of `i`. */
  const tree: number[] = [0];

  function before(index: number): number {
    let sum = 0;
    for (let at = Math.min(index, values.length); at > 0; at -= at & -at) sum += tree[at] ?? 0;
    return sum;
  }

  function push(value: number): void {
    values.push(value);
    const at = values.length;
    tree.push(before(at - 1) - before(at - (at & -at)) + value);
  }

  for (const value of initial) push(value);

  return {
    get: (index) => values[index] ?? 0,
    set(index, value) {
      const change = value - (values[index] ?? 0);
      if (change === 0 || index >= values.length) return;
      values[index] = value;
      for (let at = index + 1; at < tree.length; at += at & -at) tree[at] = (tree[at] ?? 0) + change;
    },
    push,
    before,
    total: () => before(values.length),
    at(offset) {
      let index = 0;
      let left = offset;
      for (let step = 1 << (31 - Math.clz32(Math.max(1, values.length))); step > 0; step >>= 1) {
        const sum = tree[index + step];
        if (sum === undefined || sum > left) continue;
        index += step;
        left -= sum;
      }
      return Math.max(0, Math.min(index, values.length - 1));
    },
  };
}
