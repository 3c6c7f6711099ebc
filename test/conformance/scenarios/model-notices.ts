/** What a provider says about the model beside its answer, and what of it reaches the client. */
import {
  type ModelEvent,
  messageDone,
  messageReply,
  reply,
  responseCompleted,
  responseCreated,
} from "../../support/model-events.ts";
import type { ModelReply } from "../../support/scripted-model.ts";
import type { Scenario } from "../scenario.ts";
import { completed, conversation, turn, turnScenario, withThread } from "../turn-steps.ts";

/** A whole stream behind these headers. */
const behind = (headers: Readonly<Record<string, string>>, ...events: readonly ModelEvent[]): ModelReply => ({
  status: 200,
  headers: { "content-type": "text/event-stream", ...headers },
  body: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
});
const ANSWER = [messageDone("msg_1", "Done"), responseCompleted("resp_1")];

const notice = (name: string, about: string, first: ModelReply): Scenario =>
  turnScenario({
    name: `model-notices/${name}`,
    about,
    model: [first, messageReply("Done", { id: "2" })],
    steps: [
      ...withThread({ model: "gpt-5.5" }),
      turn("Go"),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  });

export const modelNoticeScenarios: readonly Scenario[] = [
  notice(
    "rerouted",
    "A header that names another model than the one asked is told as a rerouting.",
    behind({ "openai-model": "gpt-5.2" }, responseCreated("resp_1"), ...ANSWER),
  ),
  notice(
    "same-model",
    "A header that names the model that was asked is told to nobody.",
    behind({ "openai-model": "gpt-5.5" }, responseCreated("resp_1"), ...ANSWER),
  ),
  notice(
    "rerouted-inside",
    "Another model may be named inside the stream too.",
    behind(
      { "openai-model": "gpt-5.5" },
      {
        type: "response.created",
        response: { id: "resp_1", headers: { "OpenAI-Model": "gpt-5.2" } },
      },
      ...ANSWER,
    ),
  ),
  notice(
    "verification",
    "A recommendation to verify the account is told.",
    reply(
      "1",
      {
        type: "response.metadata",
        sequence_number: 1,
        response_id: "resp_1",
        metadata: { openai_verification_recommendation: ["trusted_access_for_cyber"] },
      },
      messageDone("msg_1", "Done"),
    ),
  ),
  notice(
    "moderation",
    "The provider's moderation of a turn is told.",
    reply(
      "1",
      {
        type: "response.metadata",
        sequence_number: 1,
        response_id: "resp_1",
        metadata: { openai_chatgpt_moderation_metadata: { presentation: "inline", rank: 1 } },
      },
      messageDone("msg_1", "Done"),
    ),
  ),
  notice(
    "rate-limits",
    "The limits in a response's headers are told after it.",
    behind(
      {
        "x-codex-primary-used-percent": "42.5",
        "x-codex-primary-window-minutes": "300",
        "x-codex-primary-reset-at": "1900000000",
        "x-codex-secondary-used-percent": "7",
        "x-codex-secondary-window-minutes": "10080",
        "x-codex-credits-has-credits": "true",
        "x-codex-credits-unlimited": "false",
        "x-codex-credits-balance": "12.5",
      },
      responseCreated("resp_1"),
      ...ANSWER,
    ),
  ),
  notice(
    "models-etag",
    "Other headers of a response are told to nobody.",
    behind({ "x-models-etag": "abc", "x-codex-turn-state": "sticky" }, responseCreated("resp_1"), ...ANSWER),
  ),
];
