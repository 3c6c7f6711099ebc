/**
 * The place of a durable event in the history of a thread, as a text of fixed width that sorts: the generation, the
 * sequence number of the event's line, and the number of events of that line up to and including this one. A place is
 * between events, after the one that it belongs to, so that the `seq` of an event is also the offset to continue from.
 */
import type { LinePosition } from "./line-position.ts";

export interface EventPlace extends LinePosition {
  /** The number of events of the line before this place. */
  readonly index: number;
}

export type EventToken = string;

const GENERATION_DIGITS = 4;
const SEQ_DIGITS = 10;
/** A line has at most two events. */
const TOKEN = /^(\d{4})_(\d{10})_(\d)$/;

/** The place before everything. */
export const FIRST_PLACE: EventPlace = { generation: 0, seq: 0, index: 0 };

export function eventToken({ generation, seq, index }: EventPlace): EventToken {
  return `${String(generation).padStart(GENERATION_DIGITS, "0")}_${String(seq).padStart(SEQ_DIGITS, "0")}_${index}`;
}

/** Null for a text that is not the token of any place. */
export function parseEventToken(text: string): EventPlace | null {
  const [, generation, seq, index] = TOKEN.exec(text) ?? [];
  return generation === undefined
    ? null
    : { generation: Number(generation), seq: Number(seq), index: Number(index) };
}
