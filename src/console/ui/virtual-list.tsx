/**
 * A list that keeps only the rows near the view in the document. Heights are estimated until a row was drawn; where a row
 * above the view turns out to be of another height, the position of the view is corrected. A reader at the end stays there.
 */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { createListState, type ListRow, type ListState } from "./list-state.ts";

export interface VirtualListProps<R extends ListRow> {
  readonly rows: readonly R[];
  readonly label: string;
  readonly render: (row: R, index: number) => ComponentChildren;
  /** Called near the beginning, to load what is before it. */
  readonly onStart?: () => void;
  /** Says how many rows came while the reader was not at the end. */
  readonly onMissed?: (count: number) => void;
  /** The list scrolls there, once for each value. */
  readonly target?: ListTarget | null;
}

export interface ListTarget {
  /** Of a row; null for the end of the list. */
  readonly key: string | null;
  /** Whether the row gets the focus. */
  readonly takesFocus?: boolean;
}

/** Rows drawn beyond each end of the view, in pixels. */
const OVERSCAN = 600;
const AT_END = 40;
const NEAR_START = 800;

export function VirtualList<R extends ListRow>(props: VirtualListProps<R>) {
  const { rows, label, render, onStart, onMissed, target } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const state = useRef(createListState()).current;
  state.update(rows);

  const elements = useRef(new Map<string, HTMLElement>()).current;

  function readView(): void {
    const { current } = scroller;
    if (current === null) return;
    const { scrollTop: top, clientHeight: height, scrollHeight } = current;
    state.isAtEnd = scrollHeight - top - height < AT_END;
    if (state.isAtEnd) onMissed?.(0);
    if (top < NEAR_START) onStart?.();
    setView((known) => (known.top === top && known.height === height ? known : { top, height }));
  }

  const measure = useMeasuring({ scroller, state, elements, readView });

  // Before the browser paints, so that nothing jumps.
  useLayoutEffect(() => {
    const { current } = scroller;
    if (current === null) return;
    if (state.addedAbove !== 0) {
      current.scrollTop += state.addedAbove;
      state.addedAbove = 0;
    }
    if (state.isAtEnd) current.scrollTop = current.scrollHeight;
    else if (state.addedBelow > 0) onMissed?.(state.addedBelow);
  });

  const focusKey = useRef<string | null>(null);
  useLayoutEffect(() => {
    const { current } = scroller;
    if (current === null || target === null || target === undefined) return;
    const { key, takesFocus = false } = target;
    const index = key === null ? rows.length : state.indexOf(key);
    if (index < 0) return;
    state.isAtEnd = key === null;
    current.scrollTop = key === null ? current.scrollHeight : Math.max(0, state.heights.before(index) - 40);
    focusKey.current = takesFocus ? key : null;
    readView();
  }, [target]);
  // A row is drawn after the list was scrolled to it.
  useEffect(() => {
    const row = focusKey.current === null ? undefined : elements.get(focusKey.current);
    if (row === undefined) return;
    focusKey.current = null;
    row.querySelector<HTMLElement>("article")?.focus({ preventScroll: true });
  });

  const first = state.heights.at(Math.max(0, view.top - OVERSCAN));
  const last = state.heights.at(view.top + view.height + OVERSCAN);
  const shown = rows.slice(first, last + 1);
  const before = state.heights.before(first);
  const after = state.heights.total() - state.heights.before(Math.min(rows.length, last + 1));

  return (
    <div
      class="scroll anchored"
      ref={scroller}
      onScroll={readView}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <div class="thread" role="feed" aria-label={label}>
        <div style={{ height: `${before}px` }} />
        {shown.map((row, at) => (
          <div
            key={row.key}
            data-key={row.key}
            ref={(element) => observe(elements, measure.current, row.key, element)}
          >
            {render(row, first + at)}
          </div>
        ))}
        <div style={{ height: `${Math.max(0, after)}px` }} />
      </div>
    </div>
  );
}

interface Measuring {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly state: ListState;
  readonly elements: ReadonlyMap<string, HTMLElement>;
  readonly readView: () => void;
}

/** Measures drawn rows, and keeps the position of the view where rows above it change their height. */
function useMeasuring({ scroller, state, elements, readView }: Measuring) {
  const measure = useRef<ResizeObserver | null>(null);
  const [, redraw] = useState(0);
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return;
    measure.current = new ResizeObserver((entries) => {
      let above = 0;
      let isChanged = false;
      const { scrollTop } = current;
      for (const { target, borderBoxSize } of entries) {
        const key = (target as HTMLElement).dataset["key"];
        const height = borderBoxSize[0]?.blockSize ?? 0;
        if (key === undefined || height === 0) continue;
        const moved = state.measured(key, height, scrollTop);
        above += moved.above;
        isChanged ||= moved.isChanged;
      }
      if (!isChanged) return;
      if (above !== 0 && !state.isAtEnd) current.scrollTop = scrollTop + above;
      redraw((count) => count + 1);
    });
    for (const element of elements.values()) measure.current.observe(element);
    const size = new ResizeObserver(readView);
    size.observe(current);
    return () => {
      measure.current?.disconnect();
      size.disconnect();
    };
  }, []);
  return measure;
}

function observe(
  elements: Map<string, HTMLElement>,
  observer: ResizeObserver | null,
  key: string,
  element: HTMLElement | null,
): void {
  const known = elements.get(key);
  if (known !== undefined && known !== element) observer?.unobserve(known);
  if (element === null) elements.delete(key);
  else {
    elements.set(key, element);
    if (known !== element) observer?.observe(element);
  }
}
