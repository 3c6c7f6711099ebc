/**
 * The definition of a hook event as data. The event lists, wire names, configuration keys and reference pages
 * derive from these definitions.
 */
import type { EventName } from "../../lifecycle/vocabulary/events.ts";
import type { HookScope } from "../../protocol/generated/types.ts";
import type { HookDialect } from "../configured-hook.ts";
import type { HookEventName } from "../hook-event.ts";
import type { Infer, ObjectShape } from "../schema/shape.ts";
import type { ClaudeEvent } from "./claude-event.ts";
import type { Coverage } from "./coverage.ts";
import type { DecisionSummary } from "./decision-summary.ts";
import type { FinishedRun } from "./finished-run.ts";
import type { Meaning } from "./meaning.ts";

export interface HookEvent<
  N extends HookEventName = HookEventName,
  I extends ObjectShape = ObjectShape,
  Answer = unknown,
  Decision = unknown,
> {
  readonly name: N;
  /** When the event fires; one line of the configuration reference. */
  readonly description: string;
  readonly scope: HookScope;
  readonly input: I;
  /**
   * The subjects that a matcher tests, the event's own name for it first; null where matchers are ignored.
   */
  readonly subjectsOf: ((input: Infer<I>) => readonly string[]) | null;
  /** Whether a denial, or a failed run that must not be ignored, prevents an action or hides its result. */
  readonly isGuard: boolean;
  /** After an inconclusive run: the user is asked, or is being asked already. */
  readonly whenInconclusive?: "ask" | "stillAsk";
  /** Whether hooks can add to the model's context, and set a limit for it. */
  readonly addsContext?: true;
  /** Whether the event also fires for an agent without a conversation, such as a reviewer. */
  readonly firesInReviews?: true;
  /** Whether this is the end of the session: every hook is awaited, and MCP servers are already closed. */
  readonly endsSession?: true;
  /** Overrides of a dialect's general timeouts. */
  readonly timeouts?: Partial<Readonly<Record<HookDialect, EventTimeout>>>;
  readonly reading: Readonly<Record<HookDialect, OutputReading>>;
  /** How Claude Code hooks receive the event; null where Claude Code does not have it. */
  readonly claude: ClaudeEvent | null;
  /** The lifecycle event that it maps to; null for none. */
  readonly lifecycle: EventName | null;
  /** The event's cells in the coverage matrix. */
  readonly coverage: Coverage;
  /**
   * Interprets an answer that matches the shape; the type is that of Claude Code, which has every member of
   * both dialects.
   */
  // Declared as a method for bivariance: the event table holds events with different answer types.
  interpret(answer: Answer, dialect: HookDialect): Meaning;
  /** Combines the runs, which are in display order, into one decision. */
  readonly fold: (runs: readonly FinishedRun[]) => Decision;
  /** Summarizes what the agent loop would do with a decision. */
  describe(decision: Decision): DecisionSummary;
}

/** In seconds. */
export interface EventTimeout {
  readonly default: number;
  readonly max?: number;
}

/** How the output and exit code of a hook process are interpreted. */
export interface OutputReading {
  /** Null where the output is ignored. */
  readonly output: ObjectShape | null;
  /** The error for JSON output that does not match the shape. */
  readonly invalid: string;
  /** How output that is not JSON is handled; an object makes it an error. */
  readonly plainText: "context" | "ignored" | { readonly error: string };
  /** Null where exit code 2 has no special meaning. */
  readonly exitTwo: ExitTwo | null;
  /**
   * The message for any other non-zero exit: the exit code, or the stderr text, or the stderr text only where
   * there is any.
   */
  readonly exitError: "code" | "stderr" | "stderr alone";
  /** The message for a process that was killed by a signal. */
  readonly killed: string;
}

export interface ExitTwo {
  /** The message where stderr is empty. */
  readonly complaint: string;
  /** Whether the exit code blocks without a reason on stderr. */
  readonly isReasonOptional: boolean;
}

export function defineEvent<N extends HookEventName, I extends ObjectShape, Answer, Decision>(
  event: HookEvent<N, I, Answer, Decision>,
): HookEvent<N, I, Answer, Decision> {
  return event;
}

export type NoDecision = Readonly<Record<string, never>>;

/** The fold of events that hooks can only observe. */
export function decideNothing(): NoDecision {
  return {};
}

/** Messages for a process killed by a signal; the peer has two wordings. */
export const NO_STATUS_CODE = "hook exited without a status code";
export const NO_EXIT_CODE = "hook process terminated without an exit code";
