/**
 * User input on its way into the history. It is in the journal as soon as it is accepted, but is sent to the model only
 * after it has entered the history; in between, hooks may block it or add context to it.
 */
import { type Awaitable, whenReady } from "../../base/awaitable.ts";
import type { Logger } from "../../base/logger.ts";
import type { ResponseItem, UserInput } from "../../protocol/generated/types.ts";
import { findMentionedSkills, toSkillMessage } from "../../skills/mentioned-skills.ts";
import { readTextFile } from "../../skills/read-text.ts";
import { MAX_SKILL_BYTES } from "../../skills/skill.ts";
import { itemCompleted } from "../../store/lines/turn-lines.ts";
import type { AdditionalContext } from "../context/context-log.ts";
import type { SubmittedItems, UserItem } from "../history/thread-history.ts";
import { addContexts } from "../hooks/thread-hooks.ts";
import { type SentInput, toModelMessage, toUserItem } from "../input/user-message.ts";
import { appendFailureOf } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** A user message, with metadata that the client passes to the provider. */
export interface UserMessage extends SentInput {
  /** Null retains the metadata of an earlier message. */
  readonly clientMetadata: Readonly<Record<string, string>> | null;
}

/** Options of a single turn. */
export interface TurnOptions {
  /** A JSON schema that the final answer must follow; null for none. */
  readonly outputSchema: unknown;
  readonly serviceTier: string | null;
  readonly additionalContext: AdditionalContext;
}

export const NO_TURN_OPTIONS: TurnOptions = { outputSchema: null, serviceTier: null, additionalContext: {} };

/** An accepted user message. */
export interface Submission extends SubmittedItems {
  readonly message: UserMessage;
  /** The wire item; null for an empty message. */
  readonly item: UserItem | null;
  /** Whether it aborts the response being streamed. */
  readonly isUrgent: boolean;
}

type Draft = Omit<Submission, "id">;

/** Reads the files and skills that a message refers to, so that their current content is submitted. */
export async function readMessage(core: ThreadCore, setup: TurnSetup, message: UserMessage): Promise<Draft> {
  const { input } = message;
  const reading = toModelMessage(setup.info().isFallback ? input.map(withSupportedDetail) : input);
  const modelMessage = reading instanceof Promise ? await reading : reading;
  const skills = input.some(mayMentionSkill) ? await readMentionedSkills(input, setup, core.log) : [];
  const { clock, createId } = core;
  const item = input.length === 0 ? null : toUserItem(createId(), message, clock.now());
  const items = core.history.prepare(modelMessage === null ? skills : [modelMessage, ...skills]);
  const blockable = mayBeBlocked(core);
  const awaitingHooks = (blockable instanceof Promise ? await blockable : blockable) ? item : null;
  return { message, items, item, awaitingHooks, isUrgent: setup.abortsOnSteer };
}

function mayBeBlocked({ hooks }: ThreadCore): Awaitable<boolean> {
  return whenReady(
    hooks.canDecide("UserPromptSubmit"),
    (canBlock) => canBlock || hooks.canDecide("SessionStart"),
  );
}

/** Appends a message to the journal, as model input and, unless hooks may block it, as a completed item. */
export function submit({ id: threadId, history }: ThreadCore, turnId: string, draft: Draft): Submission {
  const { item, awaitingHooks } = draft;
  const submission = { ...draft, ...history.submit(draft.items, awaitingHooks) };
  if (item !== null && awaitingHooks === null) {
    const startedAtMs = item.startedAtMs ?? 0;
    const shown = { ...item, completedAtMs: startedAtMs };
    const times = { startedAtMs, completedAtMs: startedAtMs };
    history.commits.append(itemCompleted({ threadId, turnId, item: shown, ...times }));
  }
  return submission;
}

/**
 * Moves a message into the history, whether it started the turn or steered it. It is not sent to the model before that.
 * False for a message that hooks have blocked or left undecided.
 */
export async function enterMessage(
  core: ThreadCore,
  turn: ActiveTurn,
  submission: Submission,
  emit: ThreadCore["emit"] = core.notify,
): Promise<boolean> {
  const { awaitingHooks, item } = submission;
  if (awaitingHooks === null && item !== null)
    core.hooks.notifyObservers("UserPromptSubmit", () => ({ prompt: promptOf(item) }), turn);
  const decision = awaitingHooks === null ? null : await runPromptHooks(core, turn, awaitingHooks);
  if (decision !== null && turn.abort.signal.aborted) {
    // The hooks were aborted before they could decide; the next turn runs them again.
    core.history.defer(submission);
    return false;
  }
  if (decision?.stop != null) core.history.drop(submission);
  else {
    core.history.enter(turn.id, submission);
    // A message that hooks could block was not appended as an item when it was accepted; `core.emit` appends it.
    publishMessage(core, turn, submission, awaitingHooks === null ? emit : core.emit);
  }
  if (decision !== null) await addContexts(core, turn, decision.contexts);
  return decision?.stop == null;
}

function runPromptHooks(core: ThreadCore, turn: ActiveTurn, item: UserItem) {
  return core.hooks.run("UserPromptSubmit", { prompt: promptOf(item) }, { turn });
}

function promptOf({ content }: UserItem): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

/** Applies input that earlier turns have deferred. */
export function applyDeferredInput(core: ThreadCore, turn: ActiveTurn): Promise<void> | null {
  const deferred = core.history.takeDeferred();
  return deferred.length === 0 ? null : enterDeferred(core, turn, deferred);
}

async function enterDeferred(
  core: ThreadCore,
  turn: ActiveTurn,
  inputs: readonly SubmittedItems[],
): Promise<void> {
  for (const deferred of inputs) {
    if (deferred.awaitingHooks === null) core.history.enter(turn.id, deferred);
    else await enterMessage(core, turn, toSubmission(deferred, deferred.awaitingHooks));
  }
}

function toSubmission(deferred: SubmittedItems, item: UserItem): Submission {
  const message = {
    input: item.content,
    clientUserMessageId: item.clientId,
    sentBy: item.sentBy ?? null,
    clientMetadata: null,
  };
  return { ...deferred, message, item, isUrgent: false };
}

/** Moves pending input into the history; false when none has entered. */
export function applyPendingInput(core: ThreadCore, turn: ActiveTurn): Awaitable<boolean> {
  return turn.pending.isEmpty ? false : enterPending(core, turn);
}

async function enterPending(core: ThreadCore, turn: ActiveTurn): Promise<boolean> {
  let hasEntered = false;
  for (const input of turn.pending.take()) hasEntered = (await enterInput(core, turn, input)) || hasEntered;
  return hasEntered;
}

/** Applies input that arrived after the turn's work; input that hooks may block is deferred, with all behind it. */
export async function applyLateInput(core: ThreadCore, turn: ActiveTurn): Promise<void> {
  let isDeferring = false;
  for (const input of turn.pending.take()) {
    isDeferring ||= input.awaitingHooks !== null;
    if (isDeferring) core.history.defer(input);
    else await enterInput(core, turn, input);
  }
}

async function enterInput(
  core: ThreadCore,
  turn: ActiveTurn,
  input: Submission | SubmittedItems,
): Promise<boolean> {
  // Items may have been appended since the message was accepted, so it is appended again, at its position after them.
  if ("message" in input)
    return enterMessage(core, turn, input, appendFailureOf(turn.state) === null ? core.emit : core.notify);
  core.history.enter(turn.id, input);
  return true;
}

function publishMessage(
  core: ThreadCore,
  turn: ActiveTurn,
  { message, item }: Submission,
  emit: ThreadCore["emit"],
): void {
  const { requestState } = turn;
  requestState.clientMetadata = message.clientMetadata ?? requestState.clientMetadata;
  if (item === null) return;
  const ids = { threadId: core.id, turnId: turn.id };
  const startedAtMs = item.startedAtMs ?? core.clock.now();
  const completed = { ...item, completedAtMs: startedAtMs };
  emit("item/started", { item, ...ids, startedAtMs });
  emit("item/completed", { item: completed, ...ids, completedAtMs: startedAtMs });
  core.onPrompt(turn, message);
}

/** Models missing from the catalog may not accept images in full resolution. */
function withSupportedDetail(part: UserInput): UserInput {
  const isImage = part.type === "image" || part.type === "localImage";
  return isImage && part.detail === "original" ? { ...part, detail: "high" } : part;
}

/** Reads the skills that the user mentions. An unreadable skill is skipped. */
async function readMentionedSkills(
  input: readonly UserInput[],
  { listSkills }: TurnSetup,
  log: Logger,
): Promise<ResponseItem[]> {
  const messages: ResponseItem[] = [];
  for (const skill of findMentionedSkills(input, await listSkills())) {
    const read = await readTextFile(skill.path, MAX_SKILL_BYTES);
    if (read.ok) messages.push(toSkillMessage(skill, read.text));
    else log.warn("a skill could not be read", { path: skill.path, reason: read.message });
  }
  return messages;
}

/** A cheap check that avoids listing the skills for most messages. */
function mayMentionSkill(part: UserInput): boolean {
  return part.type === "skill" || (part.type === "text" && part.text.includes("$"));
}
