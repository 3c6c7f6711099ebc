/** The work of each kind of turn, between its beginning and its end. */
import { messageOf } from "../../base/errors.ts";
import type { ReviewTarget, TurnError } from "../../protocol/generated/types.ts";
import { createItemReporter } from "../items/item-reporter.ts";
import { textMessage } from "../items/response-items.ts";
import { workFolderOf } from "../state/settings.ts";
import type { TurnOutcome } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import { compact } from "./compact.ts";
import { openReview } from "./review-turn.ts";
import type { Submission, TurnOptions, UserMessage } from "./submission.ts";
import type { ContinuedWork } from "./suspended-turn.ts";
import type { ThreadCore } from "./thread-core.ts";

/** The request that starts a turn. */
export type TurnRequest =
  | { readonly kind: "user"; readonly message: UserMessage; readonly options: TurnOptions }
  | { readonly kind: "compact" }
  | { readonly kind: "review"; readonly target: ReviewTarget }
  | { readonly kind: "shell"; readonly command: ShellCommand };

export type TurnWork = Conversation | Task;

/** The turn talks with the model. */
export interface Conversation {
  readonly kind: "conversation";
  /** The core of the thread, or that of a review. */
  readonly core: ThreadCore;
  /** The conversation begins with a message, or continues as an earlier process has left it. */
  readonly start: Submission | ContinuedWork;
  readonly options: TurnOptions;
  /** Maps the outcome of the conversation to that of the turn. */
  readonly conclude: (outcome: TurnOutcome) => TurnOutcome;
}

/** The turn runs one fixed task. */
export interface Task {
  readonly kind: "task";
  readonly run: () => Promise<TurnOutcome>;
}

/** An accepted request, with its message if it has one. */
export interface AcceptedRequest {
  readonly request: TurnRequest;
  /** Null for turns that are not started with a message. */
  readonly submission: Submission | null;
}

/** Callbacks whose timing a kind of turn chooses itself. */
export interface TurnCallbacks {
  /** Marks the turn as running. */
  readonly begin: () => void;
  /** Shows clients an error before the turn ends with it. */
  readonly showFailure: (error: TurnError) => void;
  /** Sends the warnings of the turn setup. */
  readonly warn: () => void;
}

export async function openWork(
  core: ThreadCore,
  turn: ActiveTurn,
  { request, submission }: AcceptedRequest,
  callbacks: TurnCallbacks,
): Promise<TurnWork> {
  switch (request.kind) {
    case "user":
      if (submission === null) throw new Error("a turn of the user has no input");
      return {
        kind: "conversation",
        core,
        start: submission,
        options: request.options,
        conclude: (it) => it,
      };
    case "compact":
      return { kind: "task", run: () => runCompaction(core, turn) };
    case "review":
      return openReview(core, turn, request.target, callbacks);
    case "shell":
      return { kind: "task", run: () => runShellCommand(core, turn, request.command) };
  }
}

async function runCompaction(core: ThreadCore, turn: ActiveTurn): Promise<TurnOutcome> {
  const outcome = await compact(core, turn, await core.setup(), "manual");
  return outcome.kind === "compacted" ? { kind: "completed", lastMessage: null } : outcome;
}

export interface ShellCommand {
  readonly command: string;
  readonly timeoutMs: number | null;
}

/** Runs a command of the user, and records its result for the model. */
export async function runShellCommand(
  core: ThreadCore,
  turn: ActiveTurn,
  { command, timeoutMs }: ShellCommand,
): Promise<TurnOutcome> {
  const { id: threadId, settings, emit, clock, createId } = core;
  const { signal } = turn.abort;
  const setup = await core.setup();
  const outcome = await setup.runUserShell({
    itemId: createId(),
    threadId,
    command,
    cwd: workFolderOf(settings),
    items: createItemReporter({ threadId, turnId: turn.id, emit, clock }),
    signal,
    ...(timeoutMs === null ? {} : { timeoutMs }),
  });
  const record = [textMessage("user", outcome.record)];
  if (turn.kind === "user") turn.pending.add(core.history.submit(core.history.prepare(record)));
  else core.history.record(turn.id, record);
  return signal.aborted ? { kind: "interrupted" } : { kind: "completed", lastMessage: null };
}

/** Calls the user's notify program after a completed user turn. Never rejects. */
export async function notifyTurnCompleted(
  { id: threadId, settings, setup, log }: ThreadCore,
  { id: turnId, kind, prompts }: ActiveTurn,
  outcome: TurnOutcome,
): Promise<void> {
  if (kind !== "user" || outcome.kind !== "completed") return;
  const { lastMessage } = outcome;
  const answer = lastMessage?.type === "agentMessage" ? lastMessage.text : null;
  try {
    const { notify } = await setup();
    notify?.({ threadId, turnId, cwd: settings.cwd, prompts, answer });
  } catch (error) {
    log.warn("the notify program could not be started", { threadId, error: messageOf(error) });
  }
}
