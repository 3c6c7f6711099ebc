/**
 * Cursors keep a cache from answering one reader with the same empty answer for ever: a reader sends the cursor of the
 * last answer with its next request, which makes that another request for the cache.
 */
import type { Clock } from "../../../base/clock.ts";

const INTERVAL_MS = 20_000;
/** The protocol counts its intervals from here. */
const EPOCH_MS = Date.UTC(2024, 9, 9);
const MAX_JITTER_INTERVALS = 180;
const MAX_CURSOR = Number.MAX_SAFE_INTEGER - MAX_JITTER_INTERVALS;

export interface StreamCursorOptions {
  readonly clock: Pick<Clock, "now">;
  /** At least 0, and less than 1. */
  readonly random: () => number;
}

/** Returns the cursor of each answer to a request: never less than the one before, and more than the one of the reader. */
export function createCursors(ofReader: string | null, { clock, random }: StreamCursorOptions): () => string {
  const current = (): number => Math.max(0, Math.floor((clock.now() - EPOCH_MS) / INTERVAL_MS));
  const known = parseCursor(ofReader);
  const jitter = 1 + Math.floor(random() * MAX_JITTER_INTERVALS);
  let last = known !== null && known >= current() ? known + jitter : 0;
  return () => {
    last = Math.max(last, current());
    return String(last);
  };
}

/** Null for texts that no server has sent. */
function parseCursor(text: string | null): number | null {
  if (text === null || !/^\d{1,16}$/u.test(text)) return null;
  const value = Number(text);
  return value <= MAX_CURSOR ? value : null;
}
