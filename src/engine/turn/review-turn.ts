import { messageOf } from "../../base/errors.ts";
import type { ReviewTarget, ServerNotifications, ThreadItem } from "../../protocol/generated/types.ts";
import { NO_COMMITS } from "../history/journal-commits.ts";
import { ThreadHistory } from "../history/thread-history.ts";
import { createPendingStart } from "../hooks/session-hooks.ts";
import { withoutPrompts } from "../hooks/thread-hooks.ts";
import { createItemReporter } from "../items/item-reporter.ts";
import { newMessageId, textMessage } from "../items/response-items.ts";
import type { Emit } from "../state/events.ts";
import type { ThreadSettings } from "../state/settings.ts";
import { rootTurnIdOf } from "../state/turn-origin.ts";
import { type FailedTurn, failedWith, type TurnOutcome, toTurnView } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import {
  type FindMergeBase,
  parseReviewOutput,
  REVIEW_INSTRUCTIONS,
  renderReview,
  reviewHint,
  reviewPrompt,
} from "./review-text.ts";
import { NO_TURN_OPTIONS, readMessage, submit, type UserMessage } from "./submission.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnCallbacks, TurnWork } from "./turn-work.ts";

/**
 * Reviews changes in a separate conversation. Its items are shown in this turn, but only the result enters the thread's
 * history.
 */
export async function openReview(
  core: ThreadCore,
  turn: ActiveTurn,
  target: ReviewTarget,
  { begin, showFailure, warn }: TurnCallbacks,
): Promise<TurnWork> {
  const { review } = await core.setup();
  warn();
  const prompt = await findPrompt(target, review.findMergeBase);
  if (prompt.kind === "failed") {
    begin();
    return { kind: "task", run: async () => prompt };
  }
  showItem(core, turn, { type: "enteredReviewMode", id: core.createId(), review: reviewHint(target) });
  warn();
  begin();
  const message: UserMessage = {
    input: [{ type: "text", text: prompt.text }],
    clientUserMessageId: null,
    sentBy: null,
    clientMetadata: null,
  };
  const reviewer = createReviewCore(core, review.model);
  const origin = { kind: "review", rootTurnId: rootTurnIdOf(turn), parentTurnId: turn.id } as const;
  const child = toTurnView({ id: turn.workId, origin }, turn.state, []);
  core.emit("turn/started", { threadId: core.id, turn: child });
  return {
    kind: "conversation",
    core: reviewer,
    start: submit(reviewer, turn.id, await readMessage(reviewer, await reviewer.setup(), message)),
    options: NO_TURN_OPTIONS,
    conclude(outcome) {
      if (outcome.kind === "failed") showFailure(outcome.error);
      return conclude(core, turn, outcome);
    },
  };
}

type Prompt = { readonly kind: "found"; readonly text: string };

async function findPrompt(target: ReviewTarget, findMergeBase: FindMergeBase): Promise<Prompt | FailedTurn> {
  try {
    return { kind: "found", text: await reviewPrompt(target, findMergeBase) };
  } catch (error) {
    return failedWith(messageOf(error));
  }
}

const NO_RESULT = renderReview({ explanation: "", findings: [] });
const INTERRUPTED = "Review was interrupted. Please re-run /review and wait for it to complete.";

/** Shows the result and records it in the thread's own history. */
function conclude(core: ThreadCore, turn: ActiveTurn, outcome: TurnOutcome): TurnOutcome {
  const answer = outcome.kind === "completed" ? outcome.lastMessage : null;
  const output = answer?.type === "agentMessage" ? parseReviewOutput(answer.text) : null;
  const text = output === null ? INTERRUPTED : renderReview(output);
  core.history.record(turn.id, [
    textMessage(
      "user",
      `<user_action>\n  <context>The user asked for a review by another model. This is its whole result; the user may ask for some of it to be resolved.</context>\n  <action>review</action>\n  <results>\n  ${text}\n  </results>\n</user_action>`,
    ),
  ]);
  showItem(core, turn, {
    type: "exitedReviewMode",
    id: core.createId(),
    review: output === null ? NO_RESULT : text,
  });
  const id = newMessageId(core.createId);
  core.history.record(turn.id, [
    { type: "message", id, role: "assistant", content: [{ type: "output_text", text }] },
  ]);
  const message = showItem(core, turn, {
    type: "agentMessage",
    id,
    text,
    phase: null,
    memoryCitation: null,
    delivery: null,
    questions: null,
  });
  return outcome.kind === "completed" ? { kind: "completed", lastMessage: message } : outcome;
}

function showItem({ id: threadId, emit, clock }: ThreadCore, turn: ActiveTurn, item: ThreadItem): ThreadItem {
  return createItemReporter({ threadId, turnId: turn.id, emit, clock }).complete(item);
}

/** The reviewer has an empty history, asks for no approvals, and its messages are hidden except for the result. */
function createReviewCore(core: ThreadCore, model: string | null): ThreadCore {
  const settings: ThreadSettings = {
    ...core.settings,
    model: model ?? core.settings.model,
    baseInstructions: REVIEW_INSTRUCTIONS,
    approvalPolicy: "never",
  };
  const emit = withoutAnswers(core.emit);
  const { createId } = core;
  const raw = { ...core.history.raw, items() {} };
  return {
    ...core,
    settings,
    history: new ThreadHistory({ commits: NO_COMMITS, raw, createId }),
    hooks: withoutPrompts(core.hooks.under(settings)),
    sessionStart: createPendingStart(null),
    emit,
    // The review prompt is not in the journal yet, so it goes through `emit`, which appends it.
    notify: emit,
    setup: () => core.setup(settings),
    onPrompt() {},
  };
}

const HIDDEN = new Set<keyof ServerNotifications>([
  "item/agentMessage/delta",
  "thread/tokenUsage/updated",
  "account/rateLimits/updated",
]);

function withoutAnswers(emit: Emit): Emit {
  return (method, params) => {
    if (HIDDEN.has(method)) return;
    const isAnswer =
      method === "item/completed" && (params as { item: ThreadItem }).item.type === "agentMessage";
    if (!isAnswer) emit(method, params);
  };
}
