/** Every event of hooks by its name, and the types that are derived from it. */
import type { HookEventName } from "../hook-event.ts";
import type { Infer } from "../schema/shape.ts";
import { postCompact, preCompact } from "./compaction.ts";
import type { HookEvent } from "./event.ts";
import { type FinishedRun, inDisplayOrder } from "./finished-run.ts";
import { interrupt } from "./interrupt.ts";
import { postModelRequest, preModelRequest } from "./model-request.ts";
import { permissionRequest } from "./permission-request.ts";
import { postToolUse } from "./post-tool-use.ts";
import { preToolUse } from "./pre-tool-use.ts";
import { sessionEnd } from "./session-end.ts";
import { sessionStart } from "./session-start.ts";
import { stop, subagentStop } from "./stop.ts";
import { subagentStart } from "./subagent-start.ts";
import { userPromptSubmit } from "./user-prompt-submit.ts";

export const hookEvents = {
  SessionStart: sessionStart,
  SessionEnd: sessionEnd,
  UserPromptSubmit: userPromptSubmit,
  PreToolUse: preToolUse,
  PermissionRequest: permissionRequest,
  PostToolUse: postToolUse,
  PreCompact: preCompact,
  PostCompact: postCompact,
  SubagentStart: subagentStart,
  SubagentStop: subagentStop,
  Stop: stop,
  Interrupt: interrupt,
  PreModelRequest: preModelRequest,
  PostModelRequest: postModelRequest,
} as const satisfies Readonly<Record<HookEventName, unknown>>;

type Events = typeof hookEvents;

/** What a hook is told. */
export type HookInput<E extends HookEventName> = Infer<Events[E]["input"]>;

/** What is made of all the answers. */
export type HookDecision<E extends HookEventName> = ReturnType<Events[E]["fold"]>;

/** For code that treats all events alike. */
export function hookEventOf(name: HookEventName): HookEvent {
  return hookEvents[name] as unknown as HookEvent;
}

/** What a matcher of the event is about; none where matchers are not looked at. */
export function subjectsOf<E extends HookEventName>(name: E, input: HookInput<E>): readonly string[] {
  return hookEventOf(name).subjectsOf?.(input as HookInput<HookEventName>) ?? [];
}

/** Whatever the order in which the runs have ended. */
export function decide<E extends HookEventName>(name: E, runs: readonly FinishedRun[]): HookDecision<E> {
  return hookEventOf(name).fold(inDisplayOrder(runs)) as HookDecision<E>;
}
