/** Those who watch a thread at the moments of its hooks, and have no say in it. */
import type { Logger } from "../../base/logger.ts";
import { logFailure } from "../../base/tasks.ts";
import type { HookEventName } from "../../hooks/hook-event.ts";
import { type HookedPlace, hookInputFields, type OwnInput, toInput } from "./hook-input.ts";

export interface HookObserver {
  /** Whether somebody is to be told of the event. */
  wants(event: HookEventName): boolean;
  /** Takes what hooks of the event are told. Nobody waits for what comes of it. */
  tell(input: Readonly<Record<string, unknown>>): void;
}

export interface ObserverOptions extends HookedPlace {
  readonly observer: HookObserver | undefined;
  readonly log: Logger;
}

/** One that cannot say is not told. */
export function isWatched(event: HookEventName, { observer, log }: ObserverOptions): boolean {
  try {
    return observer?.wants(event) === true;
  } catch (error) {
    logFailure(log, `asking who wants to hear of ${event}`, error);
    return false;
  }
}

/** Tells of an event, if anybody wants to hear of it; the turn goes on whatever becomes of that. */
export function notifyObserver<E extends HookEventName>(
  event: E,
  own: () => OwnInput<E>,
  turnId: string,
  observerOptions: ObserverOptions,
): void {
  if (!isWatched(event, observerOptions)) return;
  try {
    observerOptions.observer?.tell(toInput(event, hookInputFields(event, own(), turnId, observerOptions)));
  } catch (error) {
    logFailure(observerOptions.log, `telling of ${event}`, error);
  }
}
