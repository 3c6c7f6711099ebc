/**
 * Cursors encode a position, not an offset, so that concurrent additions and removals do not shift pages. They are
 * opaque to clients.
 */

import { numberMember, textMember } from "../../base/json-members.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { ThreadOrder } from "../thread-store.ts";
import type { ThreadPosition } from "./thread-list.ts";

export interface SeqPosition {
  readonly seq: number;
  readonly inclusive: boolean;
}

export interface OccurrencePosition {
  readonly seq: number;
  /** The number of occurrences in the item at this position that earlier pages returned. */
  readonly returned: number;
}

export function threadCursor(order: ThreadOrder, { value, id, inclusive }: ThreadPosition): string {
  return encode({ by: order, at: value, id, ...(inclusive ? { here: true } : {}) });
}

/** Null for a cursor of another list. */
export function readThreadCursor(cursor: string, order: ThreadOrder): ThreadPosition | null {
  const found = decode(cursor);
  const value = found === null ? null : numberMember(found, "at");
  const id = found === null ? null : textMember(found, "id");
  if (found === null || value === null || id === null || found["by"] !== order) return null;
  return { value, id, inclusive: found["here"] === true };
}

export type SeqScope = "turns" | "items" | "timeline";

export function seqCursor(scope: SeqScope, threadId: string, { seq, inclusive }: SeqPosition): string {
  return encode({ of: scope, in: threadId, at: seq, ...(inclusive ? { here: true } : {}) });
}

export function readSeqCursor(cursor: string, scope: SeqScope, threadId: string): SeqPosition | null {
  const found = decode(cursor);
  const seq = found === null ? null : numberMember(found, "at");
  if (found === null || seq === null || found["of"] !== scope || found["in"] !== threadId) return null;
  return { seq, inclusive: found["here"] === true };
}

export function occurrenceCursor(
  threadId: string,
  term: string,
  { seq, returned }: OccurrencePosition,
): string {
  return encode({ of: "occurrences", in: threadId, term, at: seq, told: returned });
}

export function readOccurrenceCursor(
  cursor: string,
  threadId: string,
  term: string,
): OccurrencePosition | null {
  const found = decode(cursor);
  const seq = found === null ? null : numberMember(found, "at");
  if (found === null || seq === null || found["in"] !== threadId || found["term"] !== term) return null;
  return { seq, returned: numberMember(found, "told") ?? 0 };
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(cursor: string): JsonObject | null {
  try {
    const value = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
