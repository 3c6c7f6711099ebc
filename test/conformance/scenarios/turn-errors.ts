/** Models that fail: what is tried again, how the turn ends, and that the thread goes on. */
import {
  type ModelEvent,
  messageDone,
  messageReply,
  responseCreated,
  streamedReply,
  unfinishedReply,
} from "../../support/model-events.ts";
import type { ModelReply } from "../../support/scripted-model.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, notification } from "../steps.ts";
import { completed, conversation, THREAD, turn, turnScenario, withThread } from "../turn-steps.ts";

const FINE = messageReply("Done", { id: "9" });

/** Settings of the scripted provider, as command-line overrides. */
const provider = (settings: Readonly<Record<string, number | string>>) =>
  Object.entries(settings).flatMap(([key, value]) => [
    "-c",
    `model_providers.mock.${key}=${JSON.stringify(value)}`,
  ]);
const ONE_RETRY = provider({ stream_max_retries: 1 });

const failed = (code: string, message: string, more: Readonly<Record<string, unknown>> = {}): ModelReply => ({
  events: [
    responseCreated("resp_1"),
    {
      type: "response.failed",
      response: { id: "resp_1", status: "failed", error: { code, message, ...more } },
    },
  ],
});

const incomplete = (reason: string): ModelReply => ({
  events: [
    responseCreated("resp_1"),
    { type: "response.incomplete", response: { id: "resp_1", incomplete_details: { reason } } },
  ],
});

const withoutEnd = (...events: readonly ModelEvent[]): ModelReply => ({
  events: [responseCreated("resp_1"), ...events],
});

const again: readonly Step[] = [turn("Again", {}, { as: "second" }), completed, conversation];

/** A turn that these replies end, and a second one that works. */
const failing = (
  name: string,
  about: string,
  model: readonly ModelReply[],
  more: Pick<Partial<Scenario>, "args" | "races"> = {},
): Scenario =>
  turnScenario({
    name: `turn-errors/${name}`,
    about,
    model: [...model, FINE],
    ...more,
    steps: [
      ...withThread(),
      turn("Go"),
      notification("turn/completed", { turn: { status: "failed" } }),
      ...again,
    ],
  });

/** A turn that gets there in the end. */
const recovering = (
  name: string,
  about: string,
  model: readonly ModelReply[],
  more: Pick<Partial<Scenario>, "args"> = {},
): Scenario =>
  turnScenario({
    name: `turn-errors/${name}`,
    about,
    model: [...model, FINE],
    ...more,
    steps: [
      ...withThread(),
      turn("Go"),
      notification("turn/completed", { turn: { status: "completed" } }),
      conversation,
    ],
  });

const statusError = (
  status: number,
  error: unknown = { message: "no", type: "t", code: "c" },
): ModelReply => ({
  status,
  body: { error },
});

export const turnErrorScenarios: readonly Scenario[] = [
  failing(
    "stream-ends-early",
    "A stream that ends too early is tried again, then the turn fails.",
    [withoutEnd(), withoutEnd()],
    { args: ONE_RETRY },
  ),
  failing("no-retries", "Without retries the first failure is the last.", [withoutEnd()]),
  recovering(
    "partial-message",
    "A message that is cut off is given up, and the next try says it all again.",
    [{ ...unfinishedReply("Half a"), open: false }, streamedReply(["Whole"], "2")],
    { args: ONE_RETRY },
  ),
  recovering(
    "finished-message-before-the-cut",
    "A message that was complete before the cut is kept.",
    [withoutEnd(messageDone("msg_1", "First")), messageReply("Second", { id: "2" })],
    { args: ONE_RETRY },
  ),
  failing(
    "silence",
    "A stream that says nothing for too long counts as ended.",
    [{ ...unfinishedReply("Half a"), open: true }],
    { args: provider({ stream_idle_timeout_ms: 400 }) },
  ),
  failing(
    "server-error",
    "A server's error is tried again, then the turn fails.",
    [statusError(500), statusError(500)],
    {
      args: ONE_RETRY,
    },
  ),
  recovering("server-error-once", "Retries of the request itself are not told.", [statusError(500)], {
    args: provider({ request_max_retries: 1 }),
  }),
  failing(
    "unavailable",
    "A server that is not available is tried again, then the turn fails.",
    [statusError(503), statusError(503)],
    { args: ONE_RETRY },
  ),
  failing(
    "overloaded",
    "A server that says it is overloaded is not tried again.",
    [statusError(503, { code: "server_is_overloaded", message: "busy" })],
    { args: ONE_RETRY },
  ),
  failing("unauthorized", "A refused key fails the turn.", [statusError(401)]),
  failing("forbidden", "A forbidden request fails the turn.", [statusError(403)]),
  failing("not-found", "An address that does not exist fails the turn.", [statusError(404)]),
  failing(
    "bad-request",
    "A bad request is not tried again, and the turn shows what the provider says.",
    [statusError(400, { message: "bad input", type: "invalid_request_error" })],
    { args: ONE_RETRY },
  ),
  failing("bad-image", "An image that the provider cannot read is named as the cause.", [
    statusError(400, { message: "The image data you provided does not represent a valid image" }),
  ]),
  failing("too-many-requests", "Too many requests are not tried again.", [statusError(429)], {
    args: ONE_RETRY,
  }),
  failing(
    "usage-limit",
    "A used-up plan is not tried again.",
    [statusError(429, { type: "usage_limit_reached", message: "limit", plan_type: "pro" })],
    { args: ONE_RETRY },
  ),
  failing(
    "usage-not-included",
    "A plan that does not include the model is not tried again.",
    [statusError(429, { type: "usage_not_included", message: "no" })],
    { args: ONE_RETRY },
  ),
  recovering(
    "rate-limit",
    "A rate limit is waited for as long as the model says.",
    [failed("rate_limit_exceeded", "Rate limit reached. Please try again in 0.3s.")],
    { args: ONE_RETRY },
  ),
  turnScenario({
    name: "turn-errors/context-window",
    about: "An input that is too long is not tried again before the conversation is compacted.",
    args: [...ONE_RETRY, "-c", 'compact_prompt="Summarise."'],
    model: [
      failed("context_length_exceeded", "Your input exceeds the context window of this model."),
      messageReply("SUMMARY of it all", { id: "s" }),
      FINE,
    ],
    steps: [...withThread(), turn("Go"), notification("turn/completed"), ...again],
  }),
  failing(
    "quota",
    "A used-up quota is not tried again.",
    [failed("insufficient_quota", "You exceeded your current quota.")],
    { args: ONE_RETRY },
  ),
  failing(
    "invalid-prompt",
    "A prompt that is refused is not tried again.",
    [failed("invalid_prompt", "Invalid prompt: no.")],
    { args: ONE_RETRY },
  ),
  failing(
    "cyber-policy",
    "A refusal for its kind of content is not tried again.",
    [failed("cyber_policy", "This request was flagged.")],
    { args: ONE_RETRY },
  ),
  failing(
    "failed-overloaded",
    "A model that says it is overloaded is not tried again.",
    [failed("server_is_overloaded", "Busy.")],
    { args: ONE_RETRY },
  ),
  failing(
    "failed-otherwise",
    "Another failure of the response is tried again, then the turn fails.",
    [failed("server_error", "Something broke."), failed("server_error", "Something broke.")],
    { args: ONE_RETRY },
  ),
  failing(
    "failed-without-a-reason",
    "A failure without a reason is tried again.",
    [
      { events: [responseCreated("resp_1"), { type: "response.failed", response: { id: "resp_1" } }] },
      { events: [responseCreated("resp_1"), { type: "response.failed", response: { id: "resp_1" } }] },
    ],
    { args: ONE_RETRY },
  ),
  failing(
    "incomplete",
    "A response that is cut at its length is not tried again.",
    [incomplete("max_output_tokens")],
    { args: ONE_RETRY },
  ),
  recovering(
    "content-filter",
    "A response that a filter cut is tried again with a word of guidance.",
    [incomplete("content_filter")],
    { args: ONE_RETRY },
  ),
  failing("html-answer", "An answer that is no event stream ends too early.", [
    { status: 200, body: "<html>hello</html>", headers: { "content-type": "text/html" } },
  ]),
  turnScenario({
    name: "turn-errors/unreachable",
    about: "A server that cannot be reached is waited for, and the turn can be interrupted meanwhile.",
    args: provider({ base_url: "http://127.0.0.1:9/v1" }),
    steps: [
      ...withThread(),
      turn("Go"),
      notification("error"),
      call("turn/interrupt", { threadId: THREAD, turnId: "{{turn.result.turn.id}}" }, { as: "interrupt" }),
      completed,
    ],
  }),
];
