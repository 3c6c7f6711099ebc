/** Observers receive the input of a thread's hook events and cannot influence the thread. */
import type { Logger } from "../../base/logger.ts";
import { logFailure } from "../../base/tasks.ts";
import type { HookEventName } from "../../hooks/hook-event.ts";
import { type HookInputSource, hookInputFields, type OwnInput, toInput } from "./hook-input.ts";

export interface HookObserver {
  /** Whether any observer has subscribed to the event. */
  wants(event: HookEventName): boolean;
  /** Called with the hook input of an event; the caller does not wait for the delivery. */
  notify(input: Readonly<Record<string, unknown>>): void;
}

export interface ObserverOptions extends HookInputSource {
  readonly observer: HookObserver | undefined;
  readonly log: Logger;
}

/** False also where the observer throws. */
export function isObserved(event: HookEventName, { observer, log }: ObserverOptions): boolean {
  try {
    return observer?.wants(event) === true;
  } catch (error) {
    logFailure(log, `checking for observers of ${event}`, error);
    return false;
  }
}

/** Notifies the observer of an event that it wants. A failure is logged and does not affect the turn. */
export function notifyObserver<E extends HookEventName>(
  event: E,
  own: () => OwnInput<E>,
  turnId: string,
  observerOptions: ObserverOptions,
): void {
  if (!isObserved(event, observerOptions)) return;
  try {
    observerOptions.observer?.notify(toInput(event, hookInputFields(event, own(), turnId, observerOptions)));
  } catch (error) {
    logFailure(observerOptions.log, `notifying observers of ${event}`, error);
  }
}
