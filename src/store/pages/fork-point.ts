/** The point at which a fork or a revert leaves its source history, independent of the backend. */

import { objectMember, textMember } from "../../base/json-members.ts";
import { isLegacyDuplicate } from "../lines/legacy-items.ts";
import type { LineBody, RolloutLine } from "../lines/line.ts";
import type { UnfinishedTurn } from "../lines/turn-lines.ts";
import { type StoreRefusal, storeRefusal } from "../refusal.ts";
import type { Boundary } from "../thread-store.ts";
import { type RowReader, type Span, type TurnRow, unfinishedTurn } from "./history-reader.ts";

export type ForkPoint<S extends Span, T extends TurnRow> =
  /** All of the history is shared. */
  | { readonly kind: "end"; readonly span: S }
  | { readonly kind: "before" | "behind"; readonly span: S; readonly turn: T }
  | StoreRefusal;

export interface ForkSource<S extends Span, T extends TurnRow> {
  readonly spans: readonly S[];
  readonly turn: (segmentId: string, turnId: string) => Promise<T | null>;
  readonly legacy: boolean;
}

export async function findForkPoint<S extends Span, T extends TurnRow>(
  source: ForkSource<S, T>,
  boundary: Boundary,
): Promise<ForkPoint<S, T>> {
  const { spans, legacy } = source;
  const last = spans.at(-1);
  if (last === undefined) return storeRefusal("missing", "the thread has no history");
  if (boundary.kind === "whole") return { kind: "end", span: last };
  const found = await findTurn(source, boundary);
  if (found === null) return storeRefusal("turn", unknownTurn(legacy, boundary));
  const { span, turn } = found;
  if (boundary.kind === "before") return { kind: "before", span, turn };
  const isOpen = turn.end === null ? !legacy : turn.end.seq > span.toSeq;
  if (isOpen) return storeRefusal("turn", `lastTurnId '${turn.turnId}' identifies an in-progress turn`);
  return { kind: "behind", span, turn };
}

function unknownTurn(legacy: boolean, { kind, turnId }: Exclude<Boundary, { kind: "whole" }>): string {
  if (!legacy) return `turn not found: ${turnId}`;
  const member = kind === "before" ? "beforeTurnId" : "lastTurnId";
  return `${member} '${turnId}' was not found in the source thread`;
}

/**
 * A turn may be recorded in several segments: the first record counts for the history before it, the last one for the
 * history after it.
 */
async function findTurn<S extends Span, T extends TurnRow>(
  { spans, turn: find }: ForkSource<S, T>,
  { kind, turnId }: Exclude<Boundary, { kind: "whole" }>,
): Promise<{ span: S; turn: T } | null> {
  for (const span of kind === "before" ? spans : spans.toReversed()) {
    const turn = await find(span.segmentId, turnId);
    if (turn !== null && turn.seq >= span.fromSeq && turn.seq < span.toSeq) return { span, turn };
  }
  return null;
}

const NO_ID: UnfinishedTurn = { turnId: null, rootTurnId: null, startedAt: null };

/**
 * The unfinished turn at the end of a history. A legacy history, whose lines are given, may end within a turn that has
 * no id.
 */
export async function findUnfinishedTurn(
  rows: RowReader,
  spans: readonly Span[],
  copied: readonly LineBody[],
): Promise<UnfinishedTurn | null> {
  const open = await unfinishedTurn(rows, spans);
  if (open !== null) return open;
  const types = copied.map(({ type, payload }) => (type === "event_msg" ? payload["type"] : null));
  const last = types.lastIndexOf("user_message");
  const isEnded = types.slice(last + 1).some((type) => type === "task_complete" || type === "turn_aborted");
  return last < 0 || isEnded ? null : NO_ID;
}

/** Converts a line of a legacy thread for a fork that copies it; null for the session line and for duplicates. */
export function toCopiedLine(line: RolloutLine): LineBody | null {
  const { timestamp: _timestamp, ordinal: _ordinal, ...body } = line;
  return line.type === "session_meta" || isDuplicateLine(line) ? null : (body as unknown as LineBody);
}

/** Some legacy files store their messages as items as well. */
function isDuplicateLine({ type, payload }: RolloutLine): boolean {
  if (type !== "event_msg" || textMember(payload, "type") !== "item_completed") return false;
  return isLegacyDuplicate(objectMember(payload, "item") ?? {});
}
