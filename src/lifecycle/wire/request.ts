import {
  FRAME_CLASSES,
  type FrameClass,
  INTEGRATION_MODES,
  type IntegrationMode,
} from "../vocabulary/closed-sets.ts";
import { EVENT_NAMES, type EventName, LIFECYCLE_EVENTS, needsFrame } from "../vocabulary/events.ts";
import type { JsonObject } from "../vocabulary/result.ts";
import { PAYLOAD_ENVELOPE, type PayloadEnvelope, payloadRules } from "./payload-envelope.ts";
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

/** A prompt, a turn, or a call within one. */
export interface FrameContext {
  readonly frame_id: string;
  readonly parent_frame_id?: string;
  readonly frame_class: FrameClass;
}

export interface PayloadRef {
  readonly payload_id: string;
  readonly payload_kind: string;
  readonly content_digest?: string;
  readonly byte_size?: number;
}

/** The request that a client receives for an event. */
export interface CallbackRequest {
  readonly schema_version: string;
  readonly event: EventName;
  readonly event_id: string;
  readonly adapter_id: string;
  readonly adapter_version: string;
  readonly integration_mode: IntegrationMode;
  readonly invocation_id: string;
  readonly harness_session_id?: string;
  readonly harness_run_id?: string;
  readonly harness_task_id?: string;
  readonly frame_context?: FrameContext;
  readonly capability_snapshot_ref?: string;
  readonly payload_refs?: readonly PayloadRef[];
  /** Passed through; not the sequence of a receipt. */
  readonly sequence?: number;
  readonly idempotency_key?: string;
  readonly metadata?: JsonObject;
}

export interface DispatchEnvelope {
  readonly schema_version: string;
  readonly request: CallbackRequest;
  readonly payloads?: readonly PayloadEnvelope[];
}

export interface WireOptions {
  /** Whether extension events are accepted; false by default. */
  readonly extensions?: boolean;
}

const FRAME_CONTEXT = shape.members({
  frame_id: shape.required(shape.TEXT),
  parent_frame_id: shape.optional(shape.TEXT),
  frame_class: shape.required(shape.oneOf(FRAME_CLASSES)),
});

const PAYLOAD_REF = shape.members({
  payload_id: shape.required(shape.TEXT),
  payload_kind: shape.required(shape.TEXT),
  content_digest: shape.optional(shape.TEXT),
  byte_size: shape.optional(shape.COUNT),
});

function requestShape(events: readonly string[]): shape.WireShape {
  return shape.members({
    schema_version: shape.required(shape.TEXT),
    event: shape.required(shape.oneOf(events)),
    event_id: shape.required(shape.TEXT),
    adapter_id: shape.required(shape.TEXT),
    adapter_version: shape.required(shape.TEXT),
    integration_mode: shape.required(shape.oneOf(INTEGRATION_MODES)),
    invocation_id: shape.required(shape.TEXT),
    harness_session_id: shape.optional(shape.TEXT),
    harness_run_id: shape.optional(shape.TEXT),
    harness_task_id: shape.optional(shape.TEXT),
    frame_context: shape.optional(FRAME_CONTEXT),
    capability_snapshot_ref: shape.optional(shape.TEXT),
    payload_refs: shape.defaulted(shape.listOf(PAYLOAD_REF)),
    sequence: shape.optional(shape.COUNT),
    idempotency_key: shape.optional(shape.TEXT),
    metadata: shape.defaulted(shape.JSON_MAP),
  });
}

const REQUEST = requestShape(LIFECYCLE_EVENTS);
const EXTENDED_REQUEST = requestShape(EVENT_NAMES);

const dispatchShape = (request: shape.WireShape): shape.WireShape =>
  shape.members({
    schema_version: shape.required(shape.TEXT),
    request: shape.required(request),
    payloads: shape.defaulted(shape.listOf(PAYLOAD_ENVELOPE)),
  });

const DISPATCH = dispatchShape(REQUEST);
const EXTENDED_DISPATCH = dispatchShape(EXTENDED_REQUEST);

export function parseRequest(
  value: unknown,
  { extensions = false }: WireOptions = {},
): ParsedMessage<CallbackRequest> {
  return checked(
    shape.readShape<CallbackRequest>(extensions ? EXTENDED_REQUEST : REQUEST, value, "request"),
    requestRules,
  );
}

export function parseDispatch(
  value: unknown,
  { extensions = false }: WireOptions = {},
): ParsedMessage<DispatchEnvelope> {
  return checked(
    shape.readShape<DispatchEnvelope>(extensions ? EXTENDED_DISPATCH : DISPATCH, value, "dispatch"),
    ({ schema_version, request, payloads = [] }) =>
      firstViolation([
        () => wrongVersion(schema_version),
        () => requestRules(request),
        ...payloads.map((payload) => () => payloadRules(payload)),
      ]),
  );
}

/** Checks the rules of a request in a fixed order. */
export function requestRules(request: CallbackRequest): WireError | null {
  return firstViolation([
    () => wrongVersion(request.schema_version),
    () =>
      firstEmpty("request", request, [
        "event_id",
        "adapter_id",
        "adapter_version",
        "invocation_id",
        "harness_session_id",
        "harness_run_id",
        "harness_task_id",
        "capability_snapshot_ref",
        "idempotency_key",
      ]),
    () => frameRules(request.frame_context),
    ...(request.payload_refs ?? []).map(
      (ref) => () => firstEmpty("payload_ref", ref, ["payload_id", "payload_kind", "content_digest"]),
    ),
    () => eventRules(request),
  ]);
}

function frameRules(frame: FrameContext | undefined): WireError | null {
  if (frame === undefined) return null;
  const empty = firstEmpty("frame_context", frame, ["frame_id", "parent_frame_id"]);
  if (empty !== null) return empty;
  const hasParent = frame.parent_frame_id !== undefined;
  if (frame.frame_class === "top_level" && hasParent)
    return violation("invalid_frame_context", "a top_level frame has no parent; leave parent_frame_id out");
  if (frame.frame_class === "subcall" && !hasParent)
    return violation("invalid_frame_context", "a subcall needs the parent_frame_id that it belongs to");
  return null;
}

function eventRules({ event, frame_context, idempotency_key }: CallbackRequest): WireError | null {
  if (needsFrame(event) && frame_context === undefined)
    return violation("invalid_request", `${event} needs a frame_context`);
  if (event === "receipt.emitted" && idempotency_key !== undefined)
    return violation("invalid_request", "receipt.emitted takes no idempotency_key");
  return null;
}

export interface HarnessIds {
  readonly harness_session_id?: string;
  readonly harness_run_id?: string;
  readonly harness_task_id?: string;
}

/** Copies the harness ids that are defined. */
export function harnessIds({ harness_session_id, harness_run_id, harness_task_id }: HarnessIds): HarnessIds {
  return {
    ...(harness_session_id !== undefined && { harness_session_id }),
    ...(harness_run_id !== undefined && { harness_run_id }),
    ...(harness_task_id !== undefined && { harness_task_id }),
  };
}
