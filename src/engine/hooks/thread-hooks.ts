/** The hooks of a thread, at the moments of its turns: what they are told, what is shown and kept of them. */
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
import { type HookedPlace, hookInputFields, type OwnInput, toInput } from "./hook-input.ts";
import { createHookReporter, createSilentReporter, type HookedTurn } from "./hook-report.ts";
import { type HookObserver, isWatched, notifyObserver } from "./observer.ts";

export interface ThreadHooks {
  /** Whether anybody would hear of this event, whatever it is about: a hook, or somebody who watches. */
  has(event: HookEventName): Promise<boolean>;
  /** Whether any hook would run at it: those who watch have no say. */
  canDecide(event: HookEventName): Promise<boolean>;
  /** Tells those who watch, then runs what is configured. Never throws; where nothing is configured it decides nothing. */
  run<E extends HookEventName>(event: E, own: OwnInput<E>, moment: HookCallContext): Promise<HookDecision<E>>;
  /** Tells those who watch of an event in which no hook has a say. */
  tell<E extends HookEventName>(event: E, own: () => OwnInput<E>, turn: HookedTurn): void;
  /** What the model is told of a text that may be too long for it. */
  shorten(context: HookContext): Promise<string>;
  /** Tells the user something about hooks that no run of theirs says. */
  warn(message: string): void;
  /** Tells what hooks that nobody waits for have said meanwhile; true where the model has something new to hear. */
  flushAsyncOutput(turn: HookedTurn): boolean;
  /** Ends the hooks that nobody waits for. */
  close(): Promise<void>;
  /** The same hooks, which are told these settings and run by them, whatever becomes of the thread's own. */
  under(settings: ThreadSettings): ThreadHooks;
}

export interface HookCallContext extends Pick<CallFacts, "durationMs" | "changes" | "lastTurnId"> {
  readonly turn: HookedTurn;
  /** Other names for what a tool event is about. */
  readonly aliases?: readonly string[];
  /** What a patch would change, in a folder; null where it cannot be read. */
  readonly files?: ((cwd: string) => readonly ChangedFile[] | null) | undefined;
  /** The tool did what it was asked, and that failed. */
  readonly hasFailed?: boolean;
  /** Tells runs of one hook in a turn apart. */
  readonly suffix?: string;
  /** In place of the turn's own. */
  readonly signal?: AbortSignal;
}

/** What a thread needs of the place that it runs in, for its hooks. */
export interface HookPorts {
  /** As their files say at the moment. */
  readonly configured: () => Promise<HookSet>;
  /** The same with those marked that would run something else than what was trusted. */
  readonly checked: (hooks: HookSet, cwd: string) => Promise<HookSet>;
  /** What has become of hooks since it was last asked, for the user. */
  readonly takeWarnings?: () => readonly string[];
  /** By the settings of the turn that the hook runs in. */
  readonly runHandler: (...run: [...Parameters<RunHandler>, ThreadSettings]) => ReturnType<RunHandler>;
  readonly writeSpilled: WriteSpilled;
  /** Nobody watches unless given. */
  readonly observer?: HookObserver;
}

export interface ThreadHooksOptions extends HookedPlace {
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

  async function active(event: HookEventName, cwd: string): Promise<readonly ConfiguredHook[]> {
    const configured = whichRun(await ports.configured(), event);
    if (configured.hooks.length === 0) return [];
    const checked = await ports.checked(configured, cwd);
    for (const message of ports.takeWarnings?.() ?? []) warn(message);
    return whichRun(checked, event).hooks;
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

  /** Clients do not see it run; the thread keeps it all the same. */
  function runLater({ hook, call }: PlannedRun, turn: HookedTurn): AsyncRun {
    return async (signal, refusal) => {
      // It may have waited in line, and what it runs may have changed meanwhile.
      const runHandler: RunHandler = async (planned, of) =>
        refusal === null
          ? runNow(await checkAgain(planned, of.cwd, ports), of)
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

  const canDecide = async (event: HookEventName) =>
    whichRun(await ports.configured(), event).hooks.length > 0;

  return {
    has: async (event) => isWatched(event, observerOptions) || (await canDecide(event)),
    canDecide,
    tell: (event, own, turn) => notifyObserver(event, own, turn.id, observerOptions),
    async run(event, own, moment) {
      const { turn } = moment;
      notifyObserver(event, () => own, turn.id, observerOptions);
      // What was checked in a folder runs there, wherever the thread goes meanwhile.
      const { cwd } = settings();
      const hooks = await active(event, cwd);
      if (hooks.length === 0) return decide(event, []);
      const planned = planEvent(
        hooks,
        event,
        { ...hookInputFields(event, own, turn.id, options), cwd },
        moment,
      );
      for (const one of planned) if (one.hook.isAsync) asyncHooks.add(runLater(one, turn));
      const awaited = planned.filter(({ hook }) => !hook.isAsync);
      const report = createHookReporter(turn, { ...options, callId: moment.suffix ?? null });
      const runs = await runAll(awaited, report, runNow);
      const finished = runs.map(({ hook, run, outcome }) => ({ runId: run.id, hook, outcome }));
      return decide(event, withoutPartialAllowance(finished));
    },
    shorten,
    warn,
    flushAsyncOutput(turn) {
      const said = asyncHooks.take();
      const texts = said.flatMap(({ contexts }) => contexts);
      record(history, turn, texts);
      for (const message of said.flatMap(({ warnings }) => warnings)) warn(message);
      return texts.length > 0;
    },
    close: () => asyncHooks.close(),
    under: (fixed) => hooksUnder({ ...options, settings: () => fixed }, asyncHooks),
  };
}

/** Which runs an event asks for, and what each of them is told. */
function planEvent(
  hooks: readonly ConfiguredHook[],
  event: HookEventName,
  known: Readonly<Record<string, unknown>> & { readonly cwd: string },
  moment: HookCallContext,
): readonly PlannedRun[] {
  const { turn, aliases = [], suffix = null, signal = turn.abort.signal } = moment;
  const { cwd } = known;
  const input = toInput(event, known);
  const subjects = [...subjectsOf(event, input), ...aliases];
  const { scope } = hookEventOf(event);
  return planRuns(hooks, {
    call: { event, scope, suffix, cwd, input, inputText: toWellFormedJson(JSON.stringify(input)), signal },
    subjects,
    claudeCalls() {
      const files = moment.files?.(cwd) ?? null;
      return toClaudeCalls(event, known, subjects, { hasFailed: false, ...moment, aliases, files });
    },
  });
}

/** Of all hooks, those of an event that would run. */
function whichRun({ hooks, ...rest }: HookSet, event: HookEventName): HookSet {
  return {
    ...rest,
    hooks: hooks.filter((hook) => hook.event === event && findSkipReason(hook) === null),
  };
}

/** Claude Code shows nothing of hooks that nobody waits for. */
function lateWarnings({ hook, run }: CompletedRun): string[] {
  if (hook.dialect !== "codex") return [];
  return run.entries.flatMap(({ kind, text }) => (kind === "warning" ? [text] : []));
}

async function checkAgain(hook: ConfiguredHook, cwd: string, ports: HookPorts): Promise<ConfiguredHook> {
  const { hooks } = await ports.checked({ hooks: [hook], warnings: [], errors: [] }, cwd);
  return hooks[0] ?? hook;
}

/** Takes what hooks have to say to the model into its history. */
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

/** A thread, or an agent within it that has a history of its own. */
export interface HookedThread {
  readonly hooks: ThreadHooks;
  readonly history: ThreadHistory;
}

/** For an agent that nobody talks with: what it does is seen, and its prompt and its end are nobody's. */
export function withoutPrompts(hooks: ThreadHooks): ThreadHooks {
  const fires = (event: HookEventName) => hookEventOf(event).firesInReviews === true;
  return {
    ...hooks,
    has: async (event) => fires(event) && hooks.has(event),
    canDecide: async (event) => fires(event) && hooks.canDecide(event),
    tell(event, own, turn) {
      if (fires(event)) hooks.tell(event, own, turn);
    },
    run: async (event, own, moment) => (fires(event) ? hooks.run(event, own, moment) : decide(event, [])),
    // What was said to the thread is not for it.
    flushAsyncOutput: () => false,
    under: (settings) => withoutPrompts(hooks.under(settings)),
  };
}
