/**
 * A common vocabulary for the lifecycle of coding agents: reads native hook inputs as neutral events, renders neutral
 * results as native output, and records the outcome of an event as a receipt. Depends on no other module and not on
 * Node.
 */

export type { AdapterId, HarnessAdapter, HookRow } from "./adapters/adapter.ts";
export { ADAPTER_IDS, ADAPTERS, findAdapter, findHook, hookFor } from "./adapters/registry.ts";
export type { CallLimits, LifecycleClient } from "./dispatch/call-client.ts";
export { type LifecycleClock, systemLifecycleClock as systemClock } from "./dispatch/clock.ts";
export {
  type ContinuationCounter,
  type ContinuationLimits,
  createContinuationCounter,
  guardContinuation,
  MOST_CONTINUATIONS,
} from "./dispatch/continuations.ts";
export { dispatch, MOST_PAYLOADS } from "./dispatch/dispatch.ts";
export {
  type ObservableEvent,
  type ObservableEvent as ToldEvent,
  type Observed,
  type ObservePorts,
  observe,
} from "./dispatch/observe.ts";
export type {
  Announcement,
  DispatchError,
  Dispatched,
  DispatchOptions,
  DispatchPorts,
} from "./dispatch/run.ts";
export { applyMutation, type Mutation } from "./harness/apply-mutation.ts";
export { findManifest, manifestOf, manifests, withLedger } from "./harness/manifest-of.ts";
export {
  type NeutralEvent,
  type Read,
  type ReadError as Unreadable,
  type ReadHookOptions as ReadOptions,
  type RequestIds,
  read,
  requestOf,
} from "./harness/read.ts";
export {
  type RenderError,
  type Rendered,
  type Rendering,
  type RenderRequest,
  render,
} from "./harness/render.ts";
export type { ContextForm, NotExpressed, PlacedPayload } from "./harness/render-context.ts";
export {
  CAPABILITY_KINDS,
  type Capability,
  type CapabilityKind,
  capabilityName,
} from "./placement/claims.ts";
export { type CapabilityNeed, type Needs, type Negotiation, negotiate } from "./placement/negotiate.ts";
export {
  findPayloadFaults,
  type PayloadFault,
  type PayloadFaults,
  type Sha256,
  webSha256,
} from "./placement/payload-faults.ts";
export type { PlacementDecision, Rejection } from "./placement/place.ts";
export { type Routed, type RouteError, route } from "./placement/route.ts";
export {
  type Drafted,
  draftReceipt,
  type FinishedDispatch,
  type ReceiptContext,
  type ReceiptError,
} from "./receipts/draft-receipt.ts";
export { createGapDetector, findGaps, type GapDetector, type SequenceGap } from "./receipts/gaps.ts";
export {
  type BeginOutcome,
  type Intent,
  type KeptReceipt,
  type NewReceipt,
  RECEIPTS_PER_PAGE,
  type ReceiptLedger,
  type ReceiptQuery,
  type ReceiptScope,
  type RecordOutcome,
} from "./receipts/ledger.ts";
export { createMemoryLedger, type MemoryLedger, type MemoryLedgerOptions } from "./receipts/memory-ledger.ts";
export { fingerprintOf, numbered, sameContent, scopeOf } from "./receipts/receipt-content.ts";
export { DEEPEST_JSON, isJson, sortedJson } from "./text/json.ts";
export * from "./vocabulary/closed-sets.ts";
export * from "./vocabulary/events.ts";
export * from "./vocabulary/failures.ts";
export {
  DECISION_KINDS,
  type Directive,
  type JsonObject,
  type JsonValue,
  type LifecycleDecision as Decision,
  type LifecycleResult,
  parseDirective,
  RESULT_PARTS,
  type ResultPart,
  resultOfDirective,
} from "./vocabulary/result.ts";
export {
  type AdapterManifest,
  type EventClaim,
  type PlacementClaim,
  parseManifest,
} from "./wire/manifest.ts";
export {
  type AcceptablePlacement,
  measuredSize,
  type PayloadEnvelope,
  parsePayloadEnvelope,
  parseRenderablePayload,
  type RenderablePayload,
} from "./wire/payload-envelope.ts";
export {
  type CapabilityDegradation,
  type LifecycleReceipt,
  type PayloadReceipt,
  parseReceipt,
} from "./wire/receipt.ts";
export {
  type CallbackRequest,
  type DispatchEnvelope,
  type FrameContext,
  type PayloadRef,
  parseDispatch,
  parseRequest,
  type WireOptions,
} from "./wire/request.ts";
export { type CallbackResponse, parseResponse, type Warning } from "./wire/response.ts";
export { parseResult } from "./wire/result.ts";
export {
  type ParsedMessage as Parsed,
  WIRE_VERSION,
  type WireError,
  wireErrorText,
} from "./wire/wire-error.ts";
