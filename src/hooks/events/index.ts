/** The table of all hook events, and the types and lookups derived from it. */
import type { HookEventName } from "../hook-event.ts";
import type { Infer } from "../schema/shape.ts";
import type { DecisionSummary } from "./decision-summary.ts";
import type { HookEvent } from "./event.ts";
import { type FinishedRun, inDisplayOrder } from "./finished-run.ts";
import { interrupt } from "./interrupt.ts";
import { permissionRequest } from "./permission-request.ts";
import { postCompact } from "./post-compact.ts";
import { postModelRequest } from "./post-model-request.ts";
import { postToolUse } from "./post-tool-use.ts";
import { preCompact } from "./pre-compact.ts";
import { preModelRequest } from "./pre-model-request.ts";
import { preToolUse } from "./pre-tool-use.ts";
import { sessionEnd } from "./session-end.ts";
import { sessionStart } from "./session-start.ts";
import { stop } from "./stop.ts";
import { subagentStart } from "./subagent-start.ts";
import { subagentStop } from "./subagent-stop.ts";
import { userPromptSubmit } from "./user-prompt-submit.ts";

/** In listing order, which is the peer's. */
const EVENTS = [
  preModelRequest,
  postModelRequest,
  preToolUse,
  permissionRequest,
  postToolUse,
  preCompact,
  postCompact,
  sessionStart,
  sessionEnd,
  userPromptSubmit,
  subagentStart,
  subagentStop,
  stop,
  interrupt,
] as const;

/** For code that treats all events uniformly. */
export const hookEvents: readonly HookEvent[] = EVENTS as unknown as readonly HookEvent[];

type EventNamed<E extends HookEventName> = Extract<(typeof EVENTS)[number], { readonly name: E }>;

/** The JSON input of a hook. */
export type HookInput<E extends HookEventName> = Infer<EventNamed<E>["input"]>;

/** A hook's answer: JSON on the standard output of a process, or the return value of a module. */
export type HookOutput<E extends HookEventName> = Parameters<EventNamed<E>["interpret"]>[0];

/** The decision folded from all answers. */
export type HookDecision<E extends HookEventName> = ReturnType<EventNamed<E>["fold"]>;

const byName: ReadonlyMap<string, HookEvent> = new Map(hookEvents.map((event) => [event.name, event]));

export function hookEventOf(name: HookEventName): HookEvent {
  const event = byName.get(name);
  if (event === undefined) throw new Error(`${name} is in the generated list and has no definition`);
  return event;
}

/** The subjects that a matcher of the event tests; empty where matchers are ignored. */
export function subjectsOf<E extends HookEventName>(name: E, input: HookInput<E>): readonly string[] {
  return hookEventOf(name).subjectsOf?.(input as HookInput<HookEventName>) ?? [];
}

/** Folds the runs in display order, whatever order they finished in. */
export function decide<E extends HookEventName>(name: E, runs: readonly FinishedRun[]): HookDecision<E> {
  return hookEventOf(name).fold(inDisplayOrder(runs)) as HookDecision<E>;
}

/** Summarizes what the agent loop would do with a decision; never without a line. */
export function describeDecision<E extends HookEventName>(
  name: E,
  decision: HookDecision<E>,
): DecisionSummary {
  const { isBlocked, lines } = hookEventOf(name).describe(decision);
  return { isBlocked, lines: lines.length === 0 ? ["nothing would change"] : lines };
}
