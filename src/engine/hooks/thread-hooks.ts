/** The hooks of a thread: which events have hooks, and what happens at an event that has none. */
import { type Awaitable, whenReady } from "../../base/awaitable.ts";
import type { HookSet } from "../../hooks/configured-hook.ts";
import type { HookContext } from "../../hooks/events/finished-run.ts";
import { decide, type HookDecision, hookEventOf } from "../../hooks/events/index.ts";
import type { HookEventName } from "../../hooks/hook-event.ts";
import type { ThreadHistory } from "../history/thread-history.ts";
import { textMessage } from "../items/response-items.ts";
import type { ThreadSettings } from "../state/settings.ts";
import { type AsyncHooks, createAsyncHooks } from "./async-hooks.ts";
import type { OwnInput } from "./hook-input.ts";
import type { HookedTurn } from "./hook-report.ts";
import { isObserved, notifyObserver } from "./observer.ts";
import {
  enabledHooks,
  type HookCallContext,
  runConfigured,
  shortenHookText,
  type ThreadHooksOptions,
} from "./run-configured.ts";

export interface ThreadHooks {
  /** Whether a hook or an observer would receive this event, whatever its subject. */
  has(event: HookEventName): Awaitable<boolean>;
  /** Whether a hook would run at the event; observers cannot decide anything. */
  canDecide(event: HookEventName): Awaitable<boolean>;
  /**
   * Notifies observers, then runs the configured hooks. Never throws. Without hooks the decision is neutral, and is
   * returned in the same tick where their files need not be read.
   */
  run<E extends HookEventName>(
    event: E,
    own: OwnInput<E>,
    context: HookCallContext,
  ): Awaitable<HookDecision<E>>;
  /** Notifies observers of an event at which no hook runs. */
  notifyObservers<E extends HookEventName>(event: E, own: () => OwnInput<E>, turn: HookedTurn): void;
  /** Reduces a text to the model's limit; the whole text is then written to a file. */
  shorten(context: HookContext): Promise<string>;
  /** Sends the user a warning about hooks that belongs to no run. */
  warn(message: string): void;
  /** Records and shows the buffered output of asynchronous hooks; true where the history has grown. */
  flushAsyncOutput(turn: HookedTurn): boolean;
  /** Aborts the asynchronous hooks. */
  close(): Promise<void>;
  /** The same hooks with fixed settings, unaffected by later changes of the thread's settings. */
  under(settings: ThreadSettings): ThreadHooks;
}

export function createThreadHooks(options: ThreadHooksOptions): ThreadHooks {
  return hooksUnder(options, createAsyncHooks());
}

/** `asyncHooks` is shared by all turns of the thread. */
function hooksUnder(options: ThreadHooksOptions, asyncHooks: AsyncHooks): ThreadHooks {
  const { threadId, ports, history, emit } = options;
  const observerOptions = { ...options, observer: ports.observer };
  const warn = (message: string) => emit("warning", { threadId, message });

  /** The enabled hooks of an event; null where there are none. */
  const configuredFor = (event: HookEventName): Awaitable<HookSet | null> =>
    whenReady(ports.configured(), (set) => {
      const enabled = enabledHooks(set, event);
      return enabled.hooks.length === 0 ? null : enabled;
    });

  const canDecide = (event: HookEventName): Awaitable<boolean> =>
    whenReady(configuredFor(event), (configured) => configured !== null);

  return {
    has: (event) => isObserved(event, observerOptions) || canDecide(event),
    canDecide,
    notifyObservers: (event, own, turn) => notifyObserver(event, own, turn.id, observerOptions),
    run(event, own, context) {
      notifyObserver(event, () => own, context.turn.id, observerOptions);
      return whenReady(configuredFor(event), (configured) =>
        configured === null
          ? decide(event, [])
          : runConfigured(configured, { event, own, context }, options, asyncHooks),
      );
    },
    shorten: (context) => shortenHookText(context, ports),
    warn,
    flushAsyncOutput(turn) {
      const outputs = asyncHooks.take();
      const texts = outputs.flatMap(({ contexts }) => contexts);
      record(history, turn, texts);
      for (const message of outputs.flatMap(({ warnings }) => warnings)) warn(message);
      return texts.length > 0;
    },
    close: () => asyncHooks.close(),
    under: (fixed) => hooksUnder({ ...options, settings: () => fixed }, asyncHooks),
  };
}

/** Records contexts from hooks as developer messages in the history. */
export async function addContexts(
  { hooks, history }: HookedThread,
  turn: HookedTurn,
  contexts: readonly HookContext[],
): Promise<void> {
  if (contexts.length > 0) record(history, turn, await Promise.all(contexts.map(hooks.shorten)));
}

function record(history: ThreadHistory, turn: HookedTurn, texts: readonly string[]): void {
  const messages = texts.map((text) => textMessage("developer", text));
  if (messages.length > 0) history.record(turn.id, messages);
}

/** A thread, or a reviewer with its own history. */
export interface HookedThread {
  readonly hooks: ThreadHooks;
  readonly history: ThreadHistory;
}

/** Hooks for a reviewer, which has no user: events of prompts and of turn ends do not fire. */
export function withoutPrompts(hooks: ThreadHooks): ThreadHooks {
  const fires = (event: HookEventName) => hookEventOf(event).firesInReviews === true;
  return {
    ...hooks,
    has: (event) => fires(event) && hooks.has(event),
    canDecide: (event) => fires(event) && hooks.canDecide(event),
    notifyObservers(event, own, turn) {
      if (fires(event)) hooks.notifyObservers(event, own, turn);
    },
    run: (event, own, context) => (fires(event) ? hooks.run(event, own, context) : decide(event, [])),
    // Asynchronous output belongs to the thread, not to the reviewer.
    flushAsyncOutput: () => false,
    under: (settings) => withoutPrompts(hooks.under(settings)),
  };
}
