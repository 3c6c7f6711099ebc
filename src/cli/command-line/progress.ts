/** Progress of a long command: a bar that is redrawn in place on a terminal, nothing elsewhere. */
import { printable } from "../../base/printable.ts";

export interface Progress {
  /** Draws a bar. */
  show(done: number, total: number, label: string): void;
  /** Draws a counter, for an unknown total. */
  count(done: number, label: string): void;
  /** Writes a permanent line above the bar. */
  line(text: string): void;
  end(): void;
}

export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const BAR = 24;
const REDRAW_MS = 50;
const CLEAR = "\r\u001B[K";

export function openProgress(screen: Screen, now: () => number): Progress {
  if (screen.isTTY !== true) {
    return {
      show: () => {},
      count: () => {},
      line: (text) => void screen.write(`${printable(text)}\n`),
      end: () => {},
    };
  }
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) screen.write(CLEAR);
    isDrawn = false;
  };
  const draw = (text: string): void => {
    drawnAt = now();
    isDrawn = true;
    screen.write(`${CLEAR}${printable(text).slice(0, (screen.columns ?? 80) - 1)}`);
  };
  return {
    show(done, total, label) {
      if (now() - drawnAt >= REDRAW_MS || done >= total) draw(renderBar(done, total, label));
    },
    count(done, label) {
      if (now() - drawnAt >= REDRAW_MS) draw(`${done}  ${label}`);
    },
    line(text) {
      clear();
      screen.write(`${printable(text)}\n`);
    },
    end: clear,
  };
}

function renderBar(done: number, total: number, label: string): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * BAR);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `[${"=".repeat(filled)}${" ".repeat(BAR - filled)}] ${percent}  ${label}`;
}
