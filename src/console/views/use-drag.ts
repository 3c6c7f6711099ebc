/** Moves a row of a table with a pointer: a mouse, a finger or a pen. */
import type { RefObject } from "preact";
import { useState } from "preact/hooks";

export interface Drag {
  readonly from: number | null;
  readonly to: number | null;
  start(event: PointerEvent, from: number): void;
}

interface DragState {
  readonly from: number;
  readonly to: number;
}

export function useDrag(
  body: RefObject<HTMLTableSectionElement | null>,
  onDrop: (from: number, to: number) => void,
): Drag {
  const [state, setState] = useState<DragState | null>(null);

  function start(event: PointerEvent, from: number): void {
    const { currentTarget: handle, pointerId } = event;
    if (!(handle instanceof HTMLElement) || event.button !== 0) return;
    handle.setPointerCapture(pointerId);
    let to = from;
    const ended = new AbortController();
    const { signal } = ended;
    setState({ from, to });
    handle.addEventListener(
      "pointermove",
      ({ clientY }) => {
        to = rowAt(body.current, clientY) ?? to;
        setState({ from, to });
      },
      { signal },
    );
    function end(): void {
      ended.abort();
      setState(null);
    }
    handle.addEventListener("pointercancel", end, { signal });
    addEventListener("keydown", ({ key }) => void (key === "Escape" && end()), { signal });
    handle.addEventListener(
      "pointerup",
      () => {
        end();
        if (to !== from) onDrop(from, to);
      },
      { signal },
    );
  }

  return { from: state?.from ?? null, to: state?.to ?? null, start };
}

function rowAt(body: HTMLElement | null, y: number): number | null {
  const rows = Array.from(body?.children ?? [], (row) => row.getBoundingClientRect());
  const at = rows.findIndex(({ bottom }) => y < bottom);
  return rows.length === 0 ? null : at === -1 ? rows.length - 1 : at;
}
