import type { HarnessAdapter, HookRow } from "../adapters/adapter.ts";
import { contextDocument } from "../context/context-document.ts";
import { type ContextEntry, entriesOfTexts } from "../context/context-entry.ts";
import { fencedContext, fencedSize } from "../context/fenced-context.ts";
import { faultWithoutDigest, type PayloadFaults } from "../placement/payload-faults.ts";
import { measure, openRoom, type Rejection, type Room, rejectionOf } from "../placement/place.ts";
import { utf8Length } from "../text/text.ts";
import type { Placement } from "../vocabulary/closed-sets.ts";
import type { ResultPart } from "../vocabulary/result.ts";
import type { PayloadEnvelope } from "../wire/payload-envelope.ts";

/** `compatible` is what the original prints, to the byte. `readable` is for models: fenced, and nothing for nothing. */
export type ContextForm = "compatible" | "readable";

/** What is needed of an envelope to be rendered; the rest was needed to place it. */
export type RenderablePayload = Pick<PayloadEnvelope, "payload_id" | "payload_kind"> &
  Partial<PayloadEnvelope>;

export interface PlacedPayload {
  /** Where it was placed; where it is not said, the first that its sender accepts, else before the prompt. */
  readonly placement?: Placement;
  readonly envelope: RenderablePayload;
}

export interface NotExpressed {
  /** A part of the result, or a payload. */
  readonly what: ResultPart | "payload";
  readonly payload_id?: string;
  readonly reason: string;
  /** The numbers, where there are some. */
  readonly rejection?: Rejection;
}

/** What is to be told to the model. */
export interface Telling {
  readonly payloads: readonly PlacedPayload[];
  readonly texts: readonly string[];
  readonly form: ContextForm;
  readonly faults: PayloadFaults | undefined;
  readonly nowEpochS: number | undefined;
}

/** Tells the payloads that have a place, then the texts, and says of the others why not. */
export function tellContext(adapter: HarnessAdapter, row: HookRow, telling: Telling) {
  const { payloads, form } = telling;
  const texts = entriesOfTexts(telling.texts);
  const room = openRoom(row.context?.placements ?? {}, form === "compatible" ? null : adapter.contextBudget, [
    ...payloads.map(({ envelope }) => envelope).filter((envelope) => faultOf(envelope, telling) === null),
    ...texts,
  ]);
  const entries: ContextEntry[] = [];
  const notExpressed: NotExpressed[] = [];
  for (const payload of payloads) {
    const refused = refusedPayload(payload, room, telling);
    if (refused === null) entries.push(payload.envelope);
    else notExpressed.push({ what: "payload", payload_id: payload.envelope.payload_id, ...refused });
  }
  const taken = texts.filter((entry) => {
    const refused = refusedText(entry, room, row);
    if (refused !== null) notExpressed.push({ what: "context", reason: refused });
    return refused === null;
  });
  const all = [...entries, ...taken];
  const isTold = all.length > 0 || (form === "compatible" && row.compatible === "always_context");
  const text = form === "compatible" ? contextDocument(all) : fencedContext(all);
  return {
    body: isTold && row.context !== undefined ? row.context.write(text) : {},
    bytes: isTold ? utf8Length(text) : 0,
    payloads: entries.map(({ payload_id }) => payload_id),
    hasTexts: taken.length > 0,
    notExpressed,
  };
}

/** Why a payload is not told; null if it is, and then its room is taken. */
function refusedPayload(
  { placement, envelope }: PlacedPayload,
  room: Room,
  telling: Telling,
): Pick<NotExpressed, "reason" | "rejection"> | null {
  const acceptable = envelope.acceptable_placements ?? [];
  const place = placement ?? acceptable[0]?.placement ?? "pre_prompt_frame";
  if (place === "receipt_only") return { reason: "receipt_only reaches no model; it is for the receipt" };
  if (envelope.body === undefined && envelope.body_ref === undefined)
    return { reason: "it has neither a body nor a body_ref" };
  const fault = faultOf(envelope, telling);
  const measured = measure({ byte_size: 0, ...envelope, acceptable_placements: acceptable });
  const limits = telling.form === "compatible" ? withoutLimits(room) : room;
  const rejection = fault === null ? rejectionOf(measured, place, limits) : { placement: place, ...fault };
  if (rejection !== null) return { reason: `it does not go to ${place}: ${rejection.reason}`, rejection };
  room.usedBytes += measured.fencedSize(room.fence);
  return null;
}

function faultOf(envelope: RenderablePayload, { form, faults, nowEpochS }: Telling) {
  if (form === "compatible") return null;
  const complete = envelope as PayloadEnvelope;
  return faults?.get(complete) ?? faultWithoutDigest(complete, nowEpochS ?? Number.NEGATIVE_INFINITY);
}

function refusedText(entry: ContextEntry, room: Room, row: HookRow): string | null {
  if (row.context === undefined) return `${row.hook} takes no context`;
  const needed = fencedSize(entry, room.fence);
  if (room.budgetBytes !== null && needed > room.budgetBytes - room.usedBytes)
    return `it needs ${needed} bytes and ${room.budgetBytes - room.usedBytes} of ${room.budgetBytes} are left`;
  room.usedBytes += needed;
  return null;
}

/** The original looks at the place and not at the size. */
function withoutLimits(room: Room): Room {
  const claims = Object.entries(room.claims).map(([placement, { support }]) => [placement, { support }]);
  return { ...room, claims: Object.fromEntries(claims), budgetBytes: null };
}
