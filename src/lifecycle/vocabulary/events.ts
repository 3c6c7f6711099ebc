/** The closed set of events that every harness has in some form, in session order. */
export const LIFECYCLE_EVENTS = [
  "session.starting",
  "session.started",
  "frame.opening",
  "frame.opened",
  "context.pressure_observed",
  "context.compacted",
  "frame.ending",
  "frame.ended",
  "session.ending",
  "session.ended",
  "supervisor.tick",
  "capability.degraded",
  "receipt.emitted",
  "receipt.gap_detected",
] as const;

/** Events within a frame that harnesses have hooks for. They are sent only to clients that enable extensions. */
export const EXTENSION_EVENTS = [
  "tool.starting",
  "tool.completed",
  "tool.failed",
  "permission.requested",
  "permission.decided",
  "subagent.started",
  "subagent.ended",
  "model.requested",
  "model.responded",
  "notification.raised",
  "interrupt.requested",
] as const;

export type LifecycleEvent = (typeof LIFECYCLE_EVENTS)[number];
export type ExtensionEvent = (typeof EXTENSION_EVENTS)[number];
export type EventName = LifecycleEvent | ExtensionEvent;

export const EVENT_NAMES: readonly EventName[] = [...LIFECYCLE_EVENTS, ...EXTENSION_EVENTS];

const LIFECYCLE: ReadonlySet<unknown> = new Set(LIFECYCLE_EVENTS);
const EXTENSIONS: ReadonlySet<unknown> = new Set(EXTENSION_EVENTS);

export function isLifecycleEvent(name: unknown): name is LifecycleEvent {
  return LIFECYCLE.has(name);
}

export function isExtensionEvent(name: unknown): name is ExtensionEvent {
  return EXTENSIONS.has(name);
}

export function isEventName(name: unknown): name is EventName {
  return isLifecycleEvent(name) || isExtensionEvent(name);
}

/** Events of a frame require a frame context. */
export function needsFrame(event: EventName): boolean {
  return event.startsWith("frame.");
}

/** A receipt for the notice of a receipt would cause an endless chain. */
export function yieldsReceipt(event: EventName): boolean {
  return event !== "receipt.emitted";
}

/** Events at which a block denies nothing: it continues work that would end, with its reason as the next prompt. */
export function continuesOnBlock(event: EventName): boolean {
  return event === "frame.ending" || event === "frame.ended" || event === "subagent.ended";
}

/** Events at which to allow is more than not to block: it also skips the harness's own permission check. */
export function grantsOnAllow(event: EventName): boolean {
  return event === "tool.starting" || event === "permission.requested";
}
