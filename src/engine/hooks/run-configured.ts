/** Runs the configured hooks of an event with its input, and reports the runs. */

import type { Awaitable } from "../../base/awaitable.ts";
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
import type { HandlerResult } from "../../hooks/outcome.ts";
import { type CompletedRun, type HookReport, type RunHandler, runHooks } from "../../hooks/run/run-hooks.ts";
import { spillHookText, type WriteSpilled } from "../../hooks/spill.ts";
import type { ThreadHistory } from "../history/thread-history.ts";
import type { Emit, OnThreadEvent } from "../state/events.ts";
import type { ThreadSettings } from "../state/settings.ts";
import type { AsyncHooks, AsyncRun } from "./async-hooks.ts";
import { type HookInputSource, hookInputFields, type OwnInput, toInput } from "./hook-input.ts";
import { createHookReporter, createSilentReporter, type HookedTurn } from "./hook-report.ts";
import type { HookObserver } from "./observer.ts";

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

/** Reduces a text of a hook to the model's limit; the whole text is then written to a file. */
export function shortenHookText(
  { text, limit, isReminder = false }: HookContext,
  { writeSpilled }: HookPorts,
): Promise<string> {
  return isReminder ? toSystemReminder(text, writeSpilled) : spillHookText(text, limit, writeSpilled);
}

/** The part of an event that its caller knows. */
export interface HookEventCall<E extends HookEventName> {
  readonly event: E;
  readonly own: OwnInput<E>;
  readonly context: HookCallContext;
}

/** Runs the hooks that still have their trusted content, and decides by their outcomes. */
export async function runConfigured<E extends HookEventName>(
  configured: HookSet,
  { event, own, context }: HookEventCall<E>,
  options: ThreadHooksOptions,
  asyncHooks: AsyncHooks,
): Promise<HookDecision<E>> {
  const { ports, settings } = options;
  const { turn } = context;
  // The folder is read once: hooks run where they were checked, even if the thread's folder changes meanwhile.
  const { cwd } = settings();
  const hooks = await checkedHooks(configured, event, cwd, options);
  const input = { ...hookInputFields(event, own, turn.id, options), cwd };
  const planned = planEvent(hooks, event, input, context);
  for (const one of planned) if (one.hook.isAsync) asyncHooks.add(runLater(one, turn, options));
  const awaited = planned.filter(({ hook }) => !hook.isAsync);
  const report = createHookReporter(turn, { ...options, callId: context.suffix ?? null });
  const runNow: RunHandler = (hook, call) => ports.runHandler(hook, call, settings());
  const runs = await runAll(awaited, report, runNow, options);
  const finished = runs.map(({ hook, run, outcome }) => ({ runId: run.id, hook, outcome }));
  return decide(event, withoutPartialAllowance(finished));
}

async function checkedHooks(
  configured: HookSet,
  event: HookEventName,
  cwd: string,
  { ports, emit, threadId }: ThreadHooksOptions,
): Promise<readonly ConfiguredHook[]> {
  const checked = await ports.checked(configured, cwd);
  for (const message of ports.takeWarnings?.() ?? []) emit("warning", { threadId, message });
  return enabledHooks(checked, event).hooks;
}

function runAll(
  planned: readonly PlannedRun[],
  report: HookReport,
  runHandler: RunHandler,
  { clock, createId }: ThreadHooksOptions,
) {
  return runHooks(planned, {
    clock,
    createId,
    runHandler,
    readOutcome: (hook, result) => readOutcome(hook.event, result, hook),
    report,
  });
}

/** Runs a hook asynchronously: the run is stored, and clients are not notified of it. */
function runLater({ hook, call }: PlannedRun, turn: HookedTurn, options: ThreadHooksOptions): AsyncRun {
  const { ports, settings } = options;
  return async (signal, refusal) => {
    // The run may have been queued, and the hook's files may have changed since the first check.
    const runHandler: RunHandler = async (planned, of) => {
      if (refusal !== null) return { kind: "failed", message: refusal };
      const result = await ports.runHandler(await recheck(planned, of.cwd, ports), of, settings());
      wakeAfter(planned, result, options);
      return result;
    };
    const report = createSilentReporter(turn, { ...options, callId: call.suffix });
    const runs = await runAll([{ hook, call: { ...call, signal } }], report, runHandler, options);
    const contexts = runs.flatMap(({ run, outcome }) => contextsOf([{ runId: run.id, hook, outcome }]));
    return {
      contexts: await Promise.all(contexts.map((context) => shortenHookText(context, ports))),
      warnings: runs.flatMap(lateWarnings),
    };
  };
}

/** Exit code 2 wakes the thread; the hook says on stderr why, or else on stdout. */
function wakeAfter(
  hook: ConfiguredHook,
  result: HandlerResult,
  { createId, onEvent }: Pick<ThreadHooksOptions, "createId" | "onEvent">,
): void {
  if (hook.wakes !== true || result.kind !== "exited" || result.exitCode !== 2) return;
  const text = result.stderr.trim() || result.stdout.trim();
  onEvent({ type: "hookWoke", key: createId(), text });
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
export function enabledHooks(set: HookSet, event: HookEventName): HookSet {
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
