/** Streams of a model that are not as they should be: the server takes what it can and ignores the rest. */
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

const done = (item: Readonly<Record<string, unknown>>): ModelEvent => ({
  type: "response.output_item.done",
  item,
});
const added = (item: Readonly<Record<string, unknown>>): ModelEvent => ({
  type: "response.output_item.added",
  item,
});
const delta = (text: string, id = "msg_1"): ModelEvent => ({
  type: "response.output_text.delta",
  item_id: id,
  delta: text,
});
const message = (text: string, more: Readonly<Record<string, unknown>> = { id: "msg_1" }) => ({
  type: "message",
  role: "assistant",
  content: text === "" ? [] : [{ type: "output_text", text }],
  ...more,
});

const stream = (text: string): ModelReply => ({
  status: 200,
  body: text,
  headers: { "content-type": "text/event-stream" },
});
const sse = (event: ModelEvent) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** A turn with this reply, and one after it that shows what was kept. */
const streamed = (name: string, about: string, first: ModelReply): Scenario =>
  turnScenario({
    name: `streams/${name}`,
    about,
    model: [first, messageReply("Done", { id: "9" })],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  });

export const streamScenarios: readonly Scenario[] = [
  streamed(
    "unknown-events",
    "Events that nobody knows are ignored.",
    reply(
      "1",
      { type: "response.in_progress", response: { id: "resp_1" } },
      { type: "response.future.event", anything: { a: 1 } },
      { type: "response.content_part.added", item_id: "msg_1", part: {} },
      messageDone("msg_1", "Fine"),
      { type: "response.content_part.done", item_id: "msg_1" },
    ),
  ),
  streamed(
    "unknown-items",
    "Items of a kind that nobody knows are ignored.",
    reply(
      "1",
      added({ type: "future_item", id: "x" }),
      done({ type: "future_item", id: "x", a: 1 }),
      messageDone("msg_1", "Fine"),
    ),
  ),
  streamed("no-item-ids", "A message without an id gets one.", reply("1", done(message("Fine", {})))),
  streamed(
    "no-item-ids-while-streaming",
    "A streamed message without an id keeps the id that it gets.",
    reply(
      "1",
      added(message("", {})),
      { type: "response.output_text.delta", delta: "Fi" },
      done(message("Fine", {})),
    ),
  ),
  streamed(
    "twice-done",
    "An item that is done twice is there twice.",
    reply("1", messageDone("msg_1", "Fine"), messageDone("msg_1", "Fine")),
  ),
  streamed(
    "twice-added",
    "An item that is added twice starts twice and completes once.",
    reply(
      "1",
      added(message("")),
      delta("Fi"),
      added(message("")),
      delta("ne"),
      messageDone("msg_1", "Fine"),
    ),
  ),
  streamed(
    "delta-before-item",
    "A delta of an item that was not added is not told.",
    reply("1", delta("Fi"), added(message("")), delta("ne"), messageDone("msg_1", "Fine")),
  ),
  streamed(
    "delta-of-another-item",
    "A delta is told for the item that is open.",
    reply("1", added(message("")), delta("Fine", "msg_x"), messageDone("msg_1", "Fine")),
  ),
  streamed(
    "other-text-when-done",
    "The text of the done item wins over its deltas.",
    reply("1", added(message("")), delta("Half"), messageDone("msg_1", "Whole")),
  ),
  streamed(
    "never-done",
    "A message that is added and never done is not kept.",
    reply("1", added(message("")), delta("Half")),
  ),
  streamed(
    "text-when-added",
    "A message that is added with text starts with it.",
    reply("1", added(message("Early")), messageDone("msg_1", "Early")),
  ),
  streamed("nothing-created", "A response need not say that it was created.", {
    events: [messageDone("msg_1", "Fine"), responseCompleted("resp_1")],
  }),
  streamed("after-the-end", "What comes after the end is ignored.", {
    events: [
      responseCreated("resp_1"),
      messageDone("msg_1", "Fine"),
      responseCompleted("resp_1"),
      messageDone("msg_2", "Late"),
    ],
  }),
  streamed(
    "several-parts",
    "The parts of a message are one text.",
    reply(
      "1",
      done({
        ...message("One "),
        content: [
          { type: "output_text", text: "One " },
          { type: "output_text", text: "two" },
        ],
      }),
    ),
  ),
  streamed(
    "empty-message",
    "A message without content is an item and not the turn's answer.",
    reply("1", done(message(""))),
  ),
  streamed(
    "foreign-role",
    "A message of another role than the assistant's is passed over.",
    reply("1", done({ ...message("Hm"), role: "user" })),
  ),
  streamed(
    "reasoning",
    "Reasoning without a summary, with several parts, and with raw text.",
    reply(
      "1",
      done({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" }),
      done({
        type: "reasoning",
        id: "rs_2",
        summary: [
          { type: "summary_text", text: "One" },
          { type: "summary_text", text: "Two" },
        ],
        content: [{ type: "reasoning_text", text: "raw" }],
        encrypted_content: "y",
      }),
      messageDone("msg_1", "Fine"),
    ),
  ),
  streamed(
    "web-search",
    "A search on the provider's side is an item.",
    reply(
      "1",
      added({ type: "web_search_call", id: "ws_1", status: "in_progress" }),
      done({
        type: "web_search_call",
        id: "ws_1",
        status: "completed",
        action: { type: "search", query: "looms" },
      }),
      messageDone("msg_1", "Fine"),
    ),
  ),
  streamed(
    "comments-and-blank-lines",
    "Comments, blank lines and CR LF belong to the format and mean nothing.",
    stream(
      `: hello\r\n\r\n\n\n${sse(responseCreated("resp_1")).replaceAll("\n", "\r\n")}: again\n\n${sse(messageDone("msg_1", "Fine"))}id: 7\nretry: 100\n\n${sse(responseCompleted("resp_1"))}`,
    ),
  ),
  streamed(
    "broken-json",
    "An event whose data are no JSON is ignored.",
    stream(
      `${sse(responseCreated("resp_1"))}event: response.output_text.delta\ndata: {oops\n\n${sse(messageDone("msg_1", "Fine"))}${sse(responseCompleted("resp_1"))}data: [DONE]\n\n`,
    ),
  ),
  streamed(
    "broken-item",
    "An item that does not fit its kind is ignored.",
    reply(
      "1",
      done({ type: "message", id: "m" }),
      done({ type: "function_call", id: "f" }),
      messageDone("msg_1", "Fine"),
    ),
  ),
];
