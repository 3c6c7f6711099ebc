/** The heights of the rows of a list: estimated until they were measured. */
import { createFenwick } from "./fenwick.ts";

export interface ListRow {
  readonly key: string;
  /** In pixels, before it was measured. */
  readonly estimate: number;
}

export type ListState = ReturnType<typeof createListState>;

export function createListState() {
  let rows: readonly ListRow[] = [];
  let indexes = new Map<string, number>();
  const measuredHeights = new Map<string, number>();
  const state = {
    heights: createFenwick(),
    isAtEnd: true,
    /** Height that was added before the rows of the last update. */
    addedAbove: 0,
    addedBelow: 0,
    indexOf: (key: string): number => indexes.get(key) ?? -1,
    update(next: readonly ListRow[]): void {
      if (next === rows) return;
      const [firstKey, lastKey] = [rows[0]?.key, rows.at(-1)?.key];
      rows = next;
      indexes = new Map(next.map(({ key }, index) => [key, index]));
      state.heights = createFenwick(next.map(({ key, estimate }) => measuredHeights.get(key) ?? estimate));
      const from = firstKey === undefined ? 0 : (indexes.get(firstKey) ?? 0);
      if (from > 0 && !state.isAtEnd) state.addedAbove += state.heights.before(from);
      const to = lastKey === undefined ? next.length - 1 : (indexes.get(lastKey) ?? next.length - 1);
      state.addedBelow = state.isAtEnd ? 0 : state.addedBelow + (next.length - 1 - to);
    },
    measured(key: string, height: number, scrollTop: number) {
      const index = indexes.get(key);
      measuredHeights.set(key, height);
      if (index === undefined) return { above: 0, isChanged: false };
      const change = height - state.heights.get(index);
      if (Math.abs(change) < 0.5) return { above: 0, isChanged: false };
      const isAbove = state.heights.before(index + 1) <= scrollTop;
      state.heights.set(index, height);
      return { above: isAbove ? change : 0, isChanged: true };
    },
  };
  return state;
}
