/** The moments that every harness has in some form, in the order of a session. The set is closed. */
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

/** Moments inside of a frame that harnesses have hooks for. Only those who ask for them are told of them. */
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

/** An event of a frame means nothing without the frame that it belongs to. */
export function needsFrame(event: EventName): boolean {
  return event.startsWith("frame.");
}

/** A receipt about the notice of a receipt would never come to an end. */
export function yieldsReceipt(event: EventName): boolean {
  return event !== "receipt.emitted";
}

/** Where a block does not refuse anything: it makes work go on that would end, with its reason as the next prompt. */
export function continuesOnBlock(event: EventName): boolean {
  return event === "frame.ending" || event === "frame.ended" || event === "subagent.ended";
}

/** Where to allow is more than to let go on: nobody else is asked any more. */
export function grantsOnAllow(event: EventName): boolean {
  return event === "tool.starting" || event === "permission.requested";
}
