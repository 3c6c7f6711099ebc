import type { HarnessAdapter, HookRow } from "../adapters/adapter.ts";
import {
  type ContextEntry,
  canBeFenced,
  contextDocument,
  entriesOfTexts,
  fencedContext,
  fencedSize,
} from "../context/context.ts";
import { faultWithoutDigest, type PayloadFaults } from "../placement/payload-faults.ts";
import { type ContextSpace, measure, openSpace, type Rejection, rejectionOf } from "../placement/place.ts";
import { utf8Length } from "../text/text.ts";
import type { Placement } from "../vocabulary/closed-sets.ts";
import type { ResultPart } from "../vocabulary/result.ts";
import type { PayloadEnvelope, RenderablePayload } from "../wire/payload-envelope.ts";

/**
 * `compatible` equals the output of the original, byte for byte. `readable` is for models: fenced, and empty without
 * entries.
 */
export type ContextForm = "compatible" | "readable";

export interface PlacedPayload {
  /** The negotiated placement; by default the first acceptable one, or else before the prompt. */
  readonly placement?: Placement;
  readonly envelope: RenderablePayload;
}

export interface NotExpressed {
  /** A part of the result, the reason of its decision, or a payload. */
  readonly what: ResultPart | "reason" | "payload";
  readonly payload_id?: string;
  readonly reason: string;
  /** The details of a rejected payload. */
  readonly rejection?: Rejection;
}

/** The payloads and texts to render. */
export interface ContextRequest {
  readonly payloads: readonly PlacedPayload[];
  readonly texts: readonly string[];
  readonly form: ContextForm;
  readonly faults: PayloadFaults | undefined;
  readonly nowEpochS: number | undefined;
}

/** Renders the payloads that have a place, then the texts, and lists the reasons for the others. */
export function renderContext(adapter: HarnessAdapter, row: HookRow, request: ContextRequest) {
  const isCompatible = request.form === "compatible";
  const texts = entriesOfTexts(request.texts);
  const space = isCompatible ? unlimitedSpace(row) : spaceAt(adapter, row, request);
  const entries: ContextEntry[] = [];
  const notExpressed: NotExpressed[] = [];
  for (const payload of request.payloads) {
    const refused = refusedPayload(payload, space, request);
    if (refused === null) entries.push(payload.envelope);
    else notExpressed.push({ what: "payload", payload_id: payload.envelope.payload_id, ...refused });
  }
  const taken = texts.filter((entry) => {
    const refused = refusedText(entry, space, row);
    if (refused !== null) notExpressed.push({ what: "context", reason: refused });
    return refused === null;
  });
  const all = [...entries, ...taken];
  const isWritten = all.length > 0 || (isCompatible && row.compatible === "always_context");
  const text = isCompatible ? contextDocument(all) : fencedContext(all);
  return {
    body: isWritten && row.context !== undefined ? row.context.write(text) : {},
    bytes: isWritten ? utf8Length(text) : 0,
    payloads: entries.map(({ payload_id }) => payload_id),
    hasTexts: taken.length > 0,
    notExpressed,
  };
}

/** Entries that will not be rendered must not lengthen the fences. */
function spaceAt(adapter: HarnessAdapter, row: HookRow, request: ContextRequest): ContextSpace {
  const envelopes = request.payloads.map(({ envelope }) => envelope);
  const entries: ContextEntry[] = [
    ...envelopes.filter((envelope) => faultOf(envelope, request) === null),
    ...entriesOfTexts(request.texts).filter(canBeFenced),
  ];
  return openSpace(row.context?.placements ?? {}, adapter.contextBudget, entries);
}

/** The original checks the placement and not the size. */
function unlimitedSpace(row: HookRow): ContextSpace {
  const claims = Object.entries(row.context?.placements ?? {}).map(
    ([placement, { support }]) => [placement, { support }] as const,
  );
  return openSpace(Object.fromEntries(claims), null, []);
}

/** Why a payload is not rendered; null where it is, and then its size is deducted from the budget. */
function refusedPayload(
  { placement, envelope }: PlacedPayload,
  space: ContextSpace,
  request: ContextRequest,
): Pick<NotExpressed, "reason" | "rejection"> | null {
  const acceptable = envelope.acceptable_placements ?? [];
  const place = placement ?? acceptable[0]?.placement ?? "pre_prompt_frame";
  if (place === "receipt_only") return { reason: "receipt_only reaches no model; it is for the receipt" };
  if (envelope.body === undefined && envelope.body_ref === undefined)
    return { reason: "it has neither a body nor a body_ref" };
  const fault = faultOf(envelope, request);
  const measured = measure({ byte_size: 0, ...envelope, acceptable_placements: acceptable });
  const rejection = fault === null ? rejectionOf(measured, place, space) : { placement: place, ...fault };
  if (rejection !== null) return { reason: `it does not go to ${place}: ${rejection.reason}`, rejection };
  if (space.budgetBytes !== null) space.usedBytes += measured.fencedSize(space.fence);
  return null;
}

function faultOf(envelope: RenderablePayload, { form, faults, nowEpochS }: ContextRequest) {
  if (form === "compatible") return null;
  const complete = envelope as PayloadEnvelope;
  return faults?.get(complete) ?? faultWithoutDigest(complete, nowEpochS ?? Number.NEGATIVE_INFINITY);
}

function refusedText(entry: ContextEntry, space: ContextSpace, row: HookRow): string | null {
  if (row.context === undefined) return `${row.hook} takes no context`;
  if (space.budgetBytes === null) return null;
  if (!canBeFenced(entry)) return "it has so long a run of ~ that no fence would hold it";
  const needed = fencedSize(entry, space.fence);
  const remaining = space.budgetBytes - space.usedBytes;
  if (needed > remaining)
    return `it needs ${needed} bytes, and ${remaining} of ${space.budgetBytes} are left`;
  space.usedBytes += needed;
  return null;
}
