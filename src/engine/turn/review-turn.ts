import { messageOf } from "../../base/errors.ts";
import type {
  ResponseItem,
  ReviewTarget,
  ServerNotifications,
  ThreadItem,
  TurnError,
} from "../../protocol/generated/types.ts";
import { createContextLog } from "../context/context-log.ts";
import { forgetfulRecorder } from "../history/recorder.ts";
import { createUsageCounter } from "../history/usage.ts";
import { newMessageId } from "../items/item-ids.ts";
import { createItemReport } from "../items/item-report.ts";
import { textMessage } from "../items/text-message.ts";
import type { Emit } from "../state/events.ts";
import { toTurn } from "../state/turn-state.ts";
import { type ActiveTurn, type Message, NO_OPTIONS } from "./active-turn.ts";
import { REVIEW_INSTRUCTIONS } from "./review/review-instructions.ts";
import { parseReviewOutput, renderReview } from "./review/review-output.ts";
import { type FindMergeBase, reviewHint, reviewPrompt } from "./review/review-request.ts";
import type { ThreadCore } from "./thread-core.ts";
import { type FailedTurn, failedWith, type TurnOutcome } from "./turn-outcome.ts";
import { prepareUserTurn, runUserTurn } from "./user-turn.ts";

/** What a review tells of its turn at other moments than turns usually do. */
export interface ReviewMoments {
  /** The turn as such begins; clients know by then that it is a review. */
  readonly begin: () => void;
  /** It fails; clients are still to see how the review ends. */
  readonly fail: (error: TurnError) => void;
  /** The user should know something about the model that is asked next. */
  readonly warn: () => void;
}

/**
 * Lets a model look at changes in a conversation of its own, whose work is shown in this turn; the thread keeps
 * only what came of it.
 */
export async function runReviewTurn(
  core: ThreadCore,
  turn: ActiveTurn,
  target: ReviewTarget,
  { begin, fail, warn }: ReviewMoments,
): Promise<TurnOutcome> {
  const { review } = await core.setup();
  warn();
  const prompt = await findPrompt(target, review.findMergeBase);
  if (prompt.kind === "failed") {
    begin();
    return prompt;
  }
  showItem(core, turn, { type: "enteredReviewMode", id: core.createId(), review: reviewHint(target) });
  warn();
  begin();
  const message: Message = {
    input: [{ type: "text", text: prompt.text }],
    clientUserMessageId: null,
    clientMetadata: null,
  };
  const reviewer = createReviewCore(core, review.model);
  const child = { ...toTurn(turn.workId, turn.state, []), rootTurnId: turn.id };
  core.emit("turn/started", { threadId: core.id, turn: child });
  const outcome = await runUserTurn(await prepareUserTurn(reviewer, turn, message, NO_OPTIONS), turn);
  if (outcome.kind === "failed") fail(outcome.error);
  return leave(core, turn, outcome.kind === "completed" ? outcome.lastMessage : null, outcome);
}

type Prompt = { readonly kind: "found"; readonly text: string };

async function findPrompt(target: ReviewTarget, findMergeBase: FindMergeBase): Promise<Prompt | FailedTurn> {
  try {
    return { kind: "found", text: await reviewPrompt(target, findMergeBase) };
  } catch (error) {
    return failedWith(messageOf(error));
  }
}

const NOTHING_SAID = renderReview({ explanation: "", findings: [] });
const INTERRUPTED = "Review was interrupted. Please re-run /review and wait for it to complete.";

/** Shows the result, and keeps it where the thread's own model finds it. */
function leave(
  core: ThreadCore,
  turn: ActiveTurn,
  answer: ThreadItem | null,
  outcome: TurnOutcome,
): TurnOutcome {
  const output = answer?.type === "agentMessage" ? parseReviewOutput(answer.text) : null;
  const text = output === null ? INTERRUPTED : renderReview(output);
  core.record(turn, [
    textMessage(
      "user",
      `<user_action>\n  <context>The user asked for a review by another model. This is its whole result; the user may ask for some of it to be resolved.</context>\n  <action>review</action>\n  <results>\n  ${text}\n  </results>\n</user_action>`,
    ),
  ]);
  showItem(core, turn, {
    type: "exitedReviewMode",
    id: core.createId(),
    review: output === null ? NOTHING_SAID : text,
  });
  const id = newMessageId(core.createId);
  core.record(turn, [{ type: "message", id, role: "assistant", content: [{ type: "output_text", text }] }]);
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
  return createItemReport({ threadId, turnId: turn.id, emit, clock }).complete(item);
}

/** The reviewer starts from nothing, asks nobody, and speaks only through its result. */
function createReviewCore(core: ThreadCore, model: string | null): ThreadCore {
  const history: ResponseItem[] = [];
  const own: ThreadCore = {
    ...core,
    settings: {
      ...core.settings,
      model: model ?? core.settings.model,
      baseInstructions: REVIEW_INSTRUCTIONS,
      approvalPolicy: "never",
    },
    history,
    context: createContextLog(core.createId),
    usage: createUsageCounter(),
    emit: withoutAnswers(core.emit),
    setup: () => core.setup(own.settings),
    recorder: forgetfulRecorder,
    keep: () => {},
    remember: (_turn, items) => void history.push(...items),
    record: (_turn, items) => void history.push(...items),
    replaceHistory: (items) => void history.splice(0, history.length, ...items),
    heard: () => {},
  };
  return own;
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
