/**
 * What a user submits, on its way into the history. It is in the journal as soon as it is accepted, and the model does
 * not know of it before it enters the history; between the two stands whoever may block it or add to it.
 */
import type { Logger } from "../../base/logger.ts";
import type { ResponseItem, UserInput } from "../../protocol/generated/types.ts";
import { findMentionedSkills, toSkillMessage } from "../../skills/mentioned-skills.ts";
import { readTextFile } from "../../skills/read-text.ts";
import { MAX_SKILL_BYTES } from "../../skills/skill.ts";
import { itemCompleted } from "../../store/lines/turn-lines.ts";
import type { AdditionalContext } from "../context/context-log.ts";
import type { SubmittedItems, UserItem } from "../history/thread-history.ts";
import { addContexts } from "../hooks/thread-hooks.ts";
import { toModelMessage, toUserItem } from "../input/user-message.ts";
import { appendFailureOf } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** What a user says, and what the client wants the provider to know with it. */
export interface UserMessage {
  readonly input: readonly UserInput[];
  readonly clientUserMessageId: string | null;
  /** Null leaves what came with an earlier message. */
  readonly clientMetadata: Readonly<Record<string, string>> | null;
}

/** What holds for one turn only. */
export interface TurnOptions {
  /** A JSON schema that the final answer must follow; null for none. */
  readonly outputSchema: unknown;
  readonly serviceTier: string | null;
  readonly additionalContext: AdditionalContext;
}

export const NO_TURN_OPTIONS: TurnOptions = { outputSchema: null, serviceTier: null, additionalContext: {} };

/** A message of the user that was accepted. */
export interface Submission extends SubmittedItems {
  readonly message: UserMessage;
  /** How clients see it; null when there is nothing to show. */
  readonly item: UserItem | null;
  /** Whether it cuts off what the model is saying. */
  readonly isUrgent: boolean;
}

type Draft = Omit<Submission, "id">;

/** Reads what a message refers to, so that it can be submitted as it is now. */
export async function readMessage(core: ThreadCore, message: UserMessage): Promise<Draft> {
  const { input } = message;
  const setup = await core.setup();
  const said = await toModelMessage(setup.info.isFallback ? input.map(withCommonDetail) : input);
  const skills = await readMentionedSkills(input, setup, core.log);
  const { clock, createId } = core;
  const item =
    input.length === 0 ? null : toUserItem(createId(), message.clientUserMessageId, input, clock.now());
  const items = core.history.prepare(said === null ? skills : [said, ...skills]);
  const awaitingHooks = (await mayBeBlocked(core)) ? item : null;
  return { message, items, item, awaitingHooks, isUrgent: setup.steersAtOnce };
}

async function mayBeBlocked({ hooks }: ThreadCore): Promise<boolean> {
  return (await hooks.canDecide("UserPromptSubmit")) || (await hooks.canDecide("SessionStart"));
}

/** Appends a message to the journal, for the model and for whoever reads the thread. */
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
 * Takes a message into the history, whether a turn was started with it or it has come in meanwhile. Before this the model
 * does not know of it. False for one that hooks have blocked.
 */
export async function enterMessage(
  core: ThreadCore,
  turn: ActiveTurn,
  submission: Submission,
  emit: ThreadCore["emit"] = core.notify,
): Promise<boolean> {
  const { awaitingHooks, item } = submission;
  if (awaitingHooks === null && item !== null)
    core.hooks.tell("UserPromptSubmit", () => ({ prompt: promptOf(item) }), turn);
  const judged = awaitingHooks === null ? null : await judgePrompt(core, turn, awaitingHooks);
  if (judged !== null && turn.abort.signal.aborted) {
    // Nobody has judged it to the end; the next turn asks anew.
    core.history.defer(submission);
    return false;
  }
  if (judged?.stop != null) core.history.drop(submission);
  else {
    core.history.enter(turn.id, submission);
    // What could be blocked was not shown when it was accepted.
    show(core, turn, submission, awaitingHooks === null ? emit : core.emit);
  }
  if (judged !== null) await addContexts(core, turn, judged.contexts);
  return judged?.stop == null;
}

function judgePrompt(core: ThreadCore, turn: ActiveTurn, item: UserItem) {
  return core.hooks.run("UserPromptSubmit", { prompt: promptOf(item) }, { turn });
}

function promptOf({ content }: UserItem): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

/** Takes in what turns before this one have left. */
export async function applyDeferredInput(core: ThreadCore, turn: ActiveTurn): Promise<void> {
  for (const deferred of core.history.takeDeferred()) {
    if (deferred.awaitingHooks === null) core.history.enter(turn.id, deferred);
    else await enterMessage(core, turn, toSubmission(deferred, deferred.awaitingHooks));
  }
}

function toSubmission(deferred: SubmittedItems, item: UserItem): Submission {
  const message = { input: item.content, clientUserMessageId: item.clientId, clientMetadata: null };
  return { ...deferred, message, item, isUrgent: false };
}

/** Takes what has come in meanwhile into the history; false when there was nothing. */
export async function applyPendingInput(core: ThreadCore, turn: ActiveTurn): Promise<boolean> {
  let hasEntered = false;
  for (const input of turn.pending.take()) hasEntered = (await enterInput(core, turn, input)) || hasEntered;
  return hasEntered;
}

/** Takes in what came too late for the work of the turn; what hooks may block waits for the next one. */
export async function applyLateInput(core: ThreadCore, turn: ActiveTurn): Promise<void> {
  let waits = false;
  for (const input of turn.pending.take()) {
    waits ||= input.awaitingHooks !== null;
    if (waits) core.history.defer(input);
    else await enterInput(core, turn, input);
  }
}

async function enterInput(
  core: ThreadCore,
  turn: ActiveTurn,
  input: Submission | SubmittedItems,
): Promise<boolean> {
  // Other items may have come since a message was accepted, and it is shown at its place behind them.
  if ("message" in input)
    return enterMessage(core, turn, input, appendFailureOf(turn.state) === null ? core.emit : core.notify);
  core.history.enter(turn.id, input);
  return true;
}

function show(
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

/** Models of which nothing is known may not take images in their full resolution. */
function withCommonDetail(part: UserInput): UserInput {
  const isImage = part.type === "image" || part.type === "localImage";
  return isImage && part.detail === "original" ? { ...part, detail: "high" } : part;
}

/** The texts of the skills that the user has asked for. One that cannot be read is left out. */
async function readMentionedSkills(
  input: readonly UserInput[],
  { listSkills }: TurnSetup,
  log: Logger,
): Promise<ResponseItem[]> {
  if (!input.some(mayMention)) return [];
  const messages: ResponseItem[] = [];
  for (const skill of findMentionedSkills(input, await listSkills())) {
    const read = await readTextFile(skill.path, MAX_SKILL_BYTES);
    if (read.ok) messages.push(toSkillMessage(skill, read.text));
    else log.warn("a skill could not be read", { path: skill.path, reason: read.message });
  }
  return messages;
}

/** Most texts name no skill, and then nothing has to be looked up. */
function mayMention(part: UserInput): boolean {
  return part.type === "skill" || (part.type === "text" && part.text.includes("$"));
}
