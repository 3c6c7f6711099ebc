import type { HarnessAdapter, HookRow } from "../adapters/adapter.ts";
import { contextDocument } from "../context/context-document.ts";
import { type ContextEntry, entriesOfTexts } from "../context/context-entry.ts";
import { canBeFenced, fencedContext, fencedSize } from "../context/fenced-context.ts";
import { faultWithoutDigest, type PayloadFaults } from "../placement/payload-faults.ts";
import { measure, openRoom, type Rejection, type Room, rejectionOf } from "../placement/place.ts";
import { utf8Length } from "../text/text.ts";
import type { Placement } from "../vocabulary/closed-sets.ts";
import type { ResultPart } from "../vocabulary/result.ts";
import type { PayloadEnvelope, RenderablePayload } from "../wire/payload-envelope.ts";

/** `compatible` is what the original prints, to the byte. `readable` is for models: fenced, and nothing for nothing. */
export type ContextForm = "compatible" | "readable";

export interface PlacedPayload {
  /** Where it was placed; where it is not said, the first that its sender accepts, else before the prompt. */
  readonly placement?: Placement;
  readonly envelope: RenderablePayload;
}

export interface NotExpressed {
  /** A part of the result, the reason of its decision, or a payload. */
  readonly what: ResultPart | "reason" | "payload";
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
  const isCompatible = telling.form === "compatible";
  const texts = entriesOfTexts(telling.texts);
  const room = isCompatible ? roomOfTheOriginal(row) : roomAt(adapter, row, telling);
  const entries: ContextEntry[] = [];
  const notExpressed: NotExpressed[] = [];
  for (const payload of telling.payloads) {
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
  const isTold = all.length > 0 || (isCompatible && row.compatible === "always_context");
  const text = isCompatible ? contextDocument(all) : fencedContext(all);
  return {
    body: isTold && row.context !== undefined ? row.context.write(text) : {},
    bytes: isTold ? utf8Length(text) : 0,
    payloads: entries.map(({ payload_id }) => payload_id),
    hasTexts: taken.length > 0,
    notExpressed,
  };
}

/** What is not told has no say in how long the fences are. */
function roomAt(adapter: HarnessAdapter, row: HookRow, telling: Telling): Room {
  const envelopes = telling.payloads.map(({ envelope }) => envelope);
  const entries: ContextEntry[] = [
    ...envelopes.filter((envelope) => faultOf(envelope, telling) === null),
    ...entriesOfTexts(telling.texts).filter(canBeFenced),
  ];
  return openRoom(row.context?.placements ?? {}, adapter.contextBudget, entries);
}

/** The original looks at the place and not at the size. */
function roomOfTheOriginal(row: HookRow): Room {
  const claims = Object.entries(row.context?.placements ?? {}).map(
    ([placement, { support }]) => [placement, { support }] as const,
  );
  return openRoom(Object.fromEntries(claims), null, []);
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
  const rejection = fault === null ? rejectionOf(measured, place, room) : { placement: place, ...fault };
  if (rejection !== null) return { reason: `it does not go to ${place}: ${rejection.reason}`, rejection };
  if (room.budgetBytes !== null) room.usedBytes += measured.fencedSize(room.fence);
  return null;
}

function faultOf(envelope: RenderablePayload, { form, faults, nowEpochS }: Telling) {
  if (form === "compatible") return null;
  const complete = envelope as PayloadEnvelope;
  return faults?.get(complete) ?? faultWithoutDigest(complete, nowEpochS ?? Number.NEGATIVE_INFINITY);
}

function refusedText(entry: ContextEntry, room: Room, row: HookRow): string | null {
  if (row.context === undefined) return `${row.hook} takes no context`;
  if (room.budgetBytes === null) return null;
  if (!canBeFenced(entry)) return "it has so long a run of ~ that no fence would hold it";
  const needed = fencedSize(entry, room.fence);
  const left = room.budgetBytes - room.usedBytes;
  if (needed > left) return `it needs ${needed} bytes, and ${left} of ${room.budgetBytes} are left`;
  room.usedBytes += needed;
  return null;
}
