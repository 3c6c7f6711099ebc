/** Limits of the queue of a thread, and of its pages on the wire. */
import type { ByteLimits, QueueFull, QueueLimits, RowPage } from "../../store/queue.ts";

const MIB = 1024 * 1024;

/** A row may be as large as one message of a client. */
export const BYTE_LIMITS: ByteLimits = { maxRowBytes: 64 * MIB, maxBytes: 256 * MIB };

/** The limit of the rows in one message. Each row is in it twice, once for each protocol generation. */
export const MAX_PAGE_BYTES = MIB / 2;

/** The page that is sent with each change; clients request the rest of a long queue. */
export const PUBLISHED: RowPage = {
  offset: 0,
  limit: 25,
  maxBytes: MAX_PAGE_BYTES,
  atLeast: 0,
  isOutline: true,
};

/** For callers that need only the total and the pause. */
export const NO_ROWS: RowPage = { offset: 0, limit: 0, maxBytes: 0, atLeast: 0 };

/** Bounded, because the reason is sent with each change of the queue. */
export const MAX_REASON_LENGTH = 1000;

export const isReason = (text: string): boolean => text.length <= MAX_REASON_LENGTH;

export function explainFull({ limit }: QueueFull, limits: QueueLimits): string {
  const most = limits[limit];
  switch (limit) {
    case "maxRows":
      return `queue cannot contain more than ${most} submissions`;
    case "maxRowBytes":
      return `a queued turn cannot have more than ${most} bytes, images and recordings included: send less at once`;
    case "maxBytes":
      return `the queued turns of a thread cannot have more than ${most} bytes together: let some start, or delete some`;
  }
}
