import { utf8Length } from "../text/text.ts";
import { PLACEMENTS, type Placement, REQUIREMENTS, type Requirement } from "../vocabulary/closed-sets.ts";
import type { JsonObject } from "../vocabulary/result.ts";
import * as shape from "./shape.ts";
import {
  checked,
  firstEmpty,
  firstViolation,
  type ParsedMessage,
  violation,
  type WireError,
  wrongVersion,
} from "./wire-error.ts";

export interface AcceptablePlacement {
  readonly placement: Placement;
  readonly requirement: Requirement;
}

/** A payload to be placed, with its acceptable placements in order of preference. */
export interface PayloadEnvelope {
  readonly schema_version: string;
  readonly payload_id: string;
  readonly client_id: string;
  readonly payload_kind: string;
  readonly format: string;
  readonly content_encoding: string;
  /** Exactly one of this and `body_ref` is set. */
  readonly body?: string;
  /** A reference to the body. It is passed on and never opened. */
  readonly body_ref?: string;
  readonly byte_size: number;
  readonly acceptable_placements: readonly AcceptablePlacement[];
  readonly content_digest?: string;
  readonly idempotency_key?: string;
  readonly expires_at_epoch_s?: number;
  readonly metadata?: JsonObject;
}

const ACCEPTABLE_PLACEMENTS = shape.listOf(
  shape.members({
    placement: shape.required(shape.oneOf(PLACEMENTS)),
    requirement: shape.required(shape.oneOf(REQUIREMENTS)),
  }),
);

const RENDERABLE = {
  payload_id: shape.required(shape.TEXT),
  payload_kind: shape.required(shape.TEXT),
  body: shape.optional(shape.TEXT),
  body_ref: shape.optional(shape.TEXT),
  content_digest: shape.optional(shape.TEXT),
  idempotency_key: shape.optional(shape.TEXT),
  expires_at_epoch_s: shape.optional(shape.COUNT),
  metadata: shape.defaulted(shape.JSON_MAP),
};

export const PAYLOAD_ENVELOPE = shape.members({
  ...RENDERABLE,
  schema_version: shape.required(shape.TEXT),
  client_id: shape.required(shape.TEXT),
  format: shape.required(shape.TEXT),
  content_encoding: shape.required(shape.TEXT),
  byte_size: shape.required(shape.COUNT),
  acceptable_placements: shape.required(ACCEPTABLE_PLACEMENTS),
});

/** The members of an envelope that rendering needs; the others are for placement. */
export type RenderablePayload = Pick<PayloadEnvelope, "payload_id" | "payload_kind"> &
  Partial<PayloadEnvelope>;

const RENDERABLE_PAYLOAD = shape.members({
  ...RENDERABLE,
  schema_version: shape.optional(shape.TEXT),
  client_id: shape.optional(shape.TEXT),
  format: shape.optional(shape.TEXT),
  content_encoding: shape.optional(shape.TEXT),
  byte_size: shape.optional(shape.COUNT),
  acceptable_placements: shape.defaulted(ACCEPTABLE_PLACEMENTS),
});

/** Parses an envelope that has at least the members that rendering needs. */
export function parseRenderablePayload(value: unknown): ParsedMessage<RenderablePayload> {
  return checked(shape.readShape<RenderablePayload>(RENDERABLE_PAYLOAD, value, "payload"), (payload) => {
    const empty = firstEmpty("payload", payload, ["payload_id", "payload_kind"]);
    if (empty !== null || payload.body !== undefined || payload.body_ref !== undefined) return empty;
    return violation("invalid_payload", "one of body and body_ref must be there");
  });
}

export function parsePayloadEnvelope(value: unknown): ParsedMessage<PayloadEnvelope> {
  return checked(shape.readShape<PayloadEnvelope>(PAYLOAD_ENVELOPE, value, "payload"), payloadRules);
}

export function payloadRules(payload: PayloadEnvelope): WireError | null {
  return firstViolation([
    () => wrongVersion(payload.schema_version),
    () =>
      firstEmpty("payload", payload, [
        "payload_id",
        "client_id",
        "payload_kind",
        "format",
        "content_encoding",
        "content_digest",
        "idempotency_key",
      ]),
    () => bodyRule(payload),
    () =>
      payload.acceptable_placements.length > 0
        ? null
        : violation("invalid_payload", "acceptable_placements is empty; name at least one"),
  ]);
}

function bodyRule({ body, body_ref, byte_size }: PayloadEnvelope): WireError | null {
  if ((body === undefined) === (body_ref === undefined))
    return violation("invalid_payload", "exactly one of body and body_ref must be there");
  const measured = body === undefined ? byte_size : utf8Length(body);
  return measured === byte_size
    ? null
    : violation("invalid_payload", `byte_size is ${byte_size}, but the body has ${measured} bytes`);
}

/** The measured size; for a referenced body, the declared one. */
export function measuredSize(payload: Pick<PayloadEnvelope, "body" | "byte_size">): number {
  return payload.body === undefined ? payload.byte_size : utf8Length(payload.body);
}
