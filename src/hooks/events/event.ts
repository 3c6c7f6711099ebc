/**
 * An event as data: everything that Heddle knows of it. Lists of events, the names of the wire, keys of the
 * configuration and pages of the documents are derived from these definitions.
 */
import type { EventName } from "../../lifecycle/vocabulary/events.ts";
import type { HookScope } from "../../protocol/generated/types.ts";
import type { HookDialect } from "../configured-hook.ts";
import type { HookEventName } from "../hook-event.ts";
import type { Infer, ObjectShape } from "../schema/shape.ts";
import type { ClaudeEvent } from "./claude-event.ts";
import type { Coverage } from "./coverage.ts";
import type { DecisionWords } from "./decision-words.ts";
import type { FinishedRun } from "./finished-run.ts";
import type { Meaning } from "./meaning.ts";

export interface HookEvent<
  N extends HookEventName = HookEventName,
  I extends ObjectShape = ObjectShape,
  Answer = unknown,
  Decision = unknown,
> {
  readonly name: N;
  /** When it fires, in one line of the configuration's reference. */
  readonly description: string;
  readonly scope: HookScope;
  readonly input: I;
  /** What a matcher is about, its own name first; null where matchers are not looked at. */
  readonly subjectsOf: ((input: Infer<I>) => readonly string[]) | null;
  /** Whether a hook that says no, or fails where it must not, keeps something from being done or seen. */
  readonly isGuard: boolean;
  /** Somebody is asked where a hook could not judge what the event is about, or is being asked already. */
  readonly whenLost?: "ask" | "stillAsk";
  /** Whether hooks can add to the model's context, and limit how much. */
  readonly addsContext?: true;
  /** Whether it also fires for an agent that nobody talks with, as a reviewer: it is about neither prompt nor end. */
  readonly firesInReviews?: true;
  /** Whether it is the end of the session: every hook is awaited, and MCP servers are gone. */
  readonly endsSession?: true;
  /** Where the limits of a dialect are not those that it has for every event. */
  readonly timeouts?: Partial<Readonly<Record<HookDialect, EventTimeout>>>;
  readonly reading: Readonly<Record<HookDialect, Reading>>;
  /** How hooks of Claude Code are told of it; null where that program does not have the event. */
  readonly claude: ClaudeEvent | null;
  /** The event of the lifecycle layer that it is read as; null for none. */
  readonly lifecycle: EventName | null;
  /** Its part of the coverage matrix. */
  readonly coverage: Coverage;
  /** What an answer of the right shape means; that of Claude Code has every member that any has. */
  // A method, so that a table can hold events whose answers differ.
  interpret(answer: Answer, dialect: HookDialect): Meaning;
  /** Of runs in display order. */
  readonly fold: (runs: readonly FinishedRun[]) => Decision;
  /** What the loop would do with a decision. */
  describe(decision: Decision): DecisionWords;
}

/** In seconds. */
export interface EventTimeout {
  readonly default: number;
  readonly max?: number;
}

/** How what a program leaves behind is taken. */
export interface Reading {
  /** Null where nothing of it is read. */
  readonly output: ObjectShape | null;
  /** For output that is meant to be of that shape and is not. */
  readonly invalid: string;
  /** What becomes of output that is not meant to be JSON; words are an error. */
  readonly plainText: "context" | "ignored" | { readonly error: string };
  /** Null where code 2 is like any other. */
  readonly exitTwo: ExitTwo | null;
  /** What the user is told of any other code: the code, what the program wrote, or only that, if it wrote anything. */
  readonly exitError: "code" | "stderr" | "stderr alone";
  /** Of a program that a signal ended. */
  readonly killed: string;
}

export interface ExitTwo {
  /** Where the program wrote no reason. */
  readonly complaint: string;
  /** Whether the code says enough without one. */
  readonly isEnough: boolean;
}

export function defineEvent<N extends HookEventName, I extends ObjectShape, Answer, Decision>(
  event: HookEvent<N, I, Answer, Decision>,
): HookEvent<N, I, Answer, Decision> {
  return event;
}

export type NoDecision = Readonly<Record<string, never>>;

/** For events that hooks can only watch. */
export function decideNothing(): NoDecision {
  return {};
}

/** For programs that a signal ended; two generations of the peer's words. */
export const NO_STATUS_CODE = "hook exited without a status code";
export const NO_EXIT_CODE = "hook process terminated without an exit code";
