/** The hooks of a thread: selects the hooks of an event, runs them with its input, and reports the runs. */
import { type Awaitable, whenReady } from "../../base/awaitable.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { toWellFormedJson } from "../../base/well-formed.ts";
import { findSkipReason } from "../../hooks/config/skip-reason.ts";
import type { ConfiguredHook, HookSet } from "../../hooks/configured-hook.ts";
import { type CallFacts, type ChangedFile, toClaudeCalls } from "../../hooks/dialect/claude-calls.ts";
import { type PlannedRun, planRuns, withoutPartialAllowance } from "../../hooks/dialect/plan-runs.ts";
import { toSystemReminder } from "../../hooks/dialect/system-reminder.ts";
import { contextsOf, type HookContext } from "../../hooks/events/finished-run.ts";
import { decide, type HookDecision, hookEventOf, subjectsOf } from "../../hooks/events/index.ts";
import { readOutcome } from "../../hooks/events/read-outcome.ts";
import type { HookEventName } from "../../hooks/hook-event.ts";
import { type CompletedRun, type HookReport, type RunHandler, runHooks } from "../../hooks/run/run-hooks.ts";
import { spillHookText, type WriteSpilled } from "../../hooks/spill.ts";
import type { ThreadHistory } from "../history/thread-history.ts";
import { textMessage } from "../items/response-items.ts";
import type { Emit, OnThreadEvent } from "../state/events.ts";
import type { ThreadSettings } from "../state/settings.ts";
import { type AsyncHooks, type AsyncRun, createAsyncHooks } from "./async-hooks.ts";
import { type HookInputSource, hookInputFields, type OwnInput, toInput } from "./hook-input.ts";
import { createHookReporter, createSilentReporter, type HookedTurn } from "./hook-report.ts";
import { type HookObserver, isObserved, notifyObserver } from "./observer.ts";

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

export interface HookCallContext extends Pick<CallFacts, "durationMs" | "changes" | "lastTurnId"> {
  readonly turn: HookedTurn;
  /** Other names of the tool, which matchers also match. */
  readonly aliases?: readonly string[];
  /** Returns the files that a patch would change, relative to a folder; null where it cannot be parsed. */
  readonly files?: ((cwd: string) => readonly ChangedFile[] | null) | undefined;
  /** The tool ran and failed. */
  readonly hasFailed?: boolean;
  /** Distinguishes the runs of one hook within a turn. */
  readonly suffix?: string;
  /** Replaces the signal of the turn. */
  readonly signal?: AbortSignal;
}

/** The dependencies of a thread's hooks. */
export interface HookPorts {
  /** Reads the configured hooks from their files. */
  readonly configured: () => Awaitable<HookSet>;
  /** Marks the hooks that would run something other than what was trusted. */
  readonly checked: (hooks: HookSet, cwd: string) => Promise<HookSet>;
  /** Removes and returns pending warnings about hooks, for the user. */
  readonly takeWarnings?: () => readonly string[];
  /** Runs a hook with the settings of its turn. */
  readonly runHandler: (...run: [...Parameters<RunHandler>, ThreadSettings]) => ReturnType<RunHandler>;
  readonly writeSpilled: WriteSpilled;
  /** Without one, events are observed by no one. */
  readonly observer?: HookObserver;
}

export interface ThreadHooksOptions extends HookInputSource {
  readonly ports: HookPorts;
  readonly history: ThreadHistory;
  readonly emit: Emit;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
  readonly onEvent: OnThreadEvent;
}

export function createThreadHooks(options: ThreadHooksOptions): ThreadHooks {
  return hooksUnder(options, createAsyncHooks());
}

/** `asyncHooks` is shared by all turns of the thread. */
function hooksUnder(options: ThreadHooksOptions, asyncHooks: AsyncHooks): ThreadHooks {
  const { threadId, ports, settings, history, emit, clock, createId } = options;
  const observerOptions = { ...options, observer: ports.observer };
  const runNow: RunHandler = (hook, call) => ports.runHandler(hook, call, settings());
  const warn = (message: string) => emit("warning", { threadId, message });

  /** The enabled hooks of an event; null where there are none. */
  const configuredFor = (event: HookEventName): Awaitable<HookSet | null> =>
    whenReady(ports.configured(), (set) => {
      const enabled = enabledHooks(set, event);
      return enabled.hooks.length === 0 ? null : enabled;
    });

  /** The hooks of an event that still run what was trusted. */
  async function checkedHooks(
    configured: HookSet,
    event: HookEventName,
    cwd: string,
  ): Promise<readonly ConfiguredHook[]> {
    const checked = await ports.checked(configured, cwd);
    for (const message of ports.takeWarnings?.() ?? []) warn(message);
    return enabledHooks(checked, event).hooks;
  }

  const shorten = ({ text, limit, isReminder = false }: HookContext) =>
    isReminder ? toSystemReminder(text, ports.writeSpilled) : spillHookText(text, limit, ports.writeSpilled);

  function runAll(planned: readonly PlannedRun[], report: HookReport, runHandler: RunHandler) {
    return runHooks(planned, {
      clock,
      createId,
      runHandler,
      readOutcome: (hook, result) => readOutcome(hook.event, result, hook),
      report,
    });
  }

  /** Runs a hook asynchronously: the run is stored, and clients are not notified of it. */
  function runLater({ hook, call }: PlannedRun, turn: HookedTurn): AsyncRun {
    return async (signal, refusal) => {
      // The run may have been queued, and the hook's files may have changed since the first check.
      const runHandler: RunHandler = async (planned, of) =>
        refusal === null
          ? runNow(await recheck(planned, of.cwd, ports), of)
          : { kind: "failed", message: refusal };
      const report = createSilentReporter(turn, { ...options, callId: call.suffix });
      const runs = await runAll([{ hook, call: { ...call, signal } }], report, runHandler);
      const contexts = runs.flatMap(({ run, outcome }) => contextsOf([{ runId: run.id, hook, outcome }]));
      return {
        contexts: await Promise.all(contexts.map(shorten)),
        warnings: runs.flatMap(lateWarnings),
      };
    };
  }

  const canDecide = (event: HookEventName): Awaitable<boolean> =>
    whenReady(configuredFor(event), (configured) => configured !== null);

  async function runConfigured<E extends HookEventName>(
    configured: HookSet,
    event: E,
    own: OwnInput<E>,
    context: HookCallContext,
  ): Promise<HookDecision<E>> {
    const { turn } = context;
    // The folder is read once: hooks run where they were checked, even if the thread's folder changes meanwhile.
    const { cwd } = settings();
    const hooks = await checkedHooks(configured, event, cwd);
    const input = { ...hookInputFields(event, own, turn.id, options), cwd };
    const planned = planEvent(hooks, event, input, context);
    for (const one of planned) if (one.hook.isAsync) asyncHooks.add(runLater(one, turn));
    const awaited = planned.filter(({ hook }) => !hook.isAsync);
    const report = createHookReporter(turn, { ...options, callId: context.suffix ?? null });
    const runs = await runAll(awaited, report, runNow);
    const finished = runs.map(({ hook, run, outcome }) => ({ runId: run.id, hook, outcome }));
    return decide(event, withoutPartialAllowance(finished));
  }

  return {
    has: (event) => isObserved(event, observerOptions) || canDecide(event),
    canDecide,
    notifyObservers: (event, own, turn) => notifyObserver(event, own, turn.id, observerOptions),
    run(event, own, context) {
      notifyObserver(event, () => own, context.turn.id, observerOptions);
      return whenReady(configuredFor(event), (configured) =>
        configured === null ? decide(event, []) : runConfigured(configured, event, own, context),
      );
    },
    shorten,
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

/** Plans the runs of an event, with the input of each. */
function planEvent(
  hooks: readonly ConfiguredHook[],
  event: HookEventName,
  known: Readonly<Record<string, unknown>> & { readonly cwd: string },
  context: HookCallContext,
): readonly PlannedRun[] {
  const { turn, aliases = [], suffix = null, signal = turn.abort.signal } = context;
  const { cwd } = known;
  const input = toInput(event, known);
  const subjects = [...subjectsOf(event, input), ...aliases];
  const { scope } = hookEventOf(event);
  return planRuns(hooks, {
    call: { event, scope, suffix, cwd, input, inputText: toWellFormedJson(JSON.stringify(input)), signal },
    subjects,
    claudeCalls() {
      const files = context.files?.(cwd) ?? null;
      return toClaudeCalls(event, known, subjects, { hasFailed: false, ...context, aliases, files });
    },
  });
}

/** The hooks of an event that are not skipped. */
function enabledHooks(set: HookSet, event: HookEventName): HookSet {
  if (set.hooks.length === 0) return set;
  return {
    ...set,
    hooks: set.hooks.filter((hook) => hook.event === event && findSkipReason(hook) === null),
  };
}

/** Claude Code shows no warnings of asynchronous hooks. */
function lateWarnings({ hook, run }: CompletedRun): string[] {
  if (hook.dialect !== "codex") return [];
  return run.entries.flatMap(({ kind, text }) => (kind === "warning" ? [text] : []));
}

async function recheck(hook: ConfiguredHook, cwd: string, ports: HookPorts): Promise<ConfiguredHook> {
  const { hooks } = await ports.checked({ hooks: [hook], warnings: [], errors: [] }, cwd);
  return hooks[0] ?? hook;
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
