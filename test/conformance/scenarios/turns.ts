/** A turn without tools: what a client sees of it, and what the model is asked. */
import {
  messageDone,
  messageReply,
  reply,
  responseCompleted,
  responseCreated,
  streamedReply,
} from "../../support/model-events.ts";
import type { ModelReply } from "../../support/scripted-model.ts";
import type { Scenario } from "../scenario.ts";
import { call, notification, refused } from "../steps.ts";
import { completed, conversation, THREAD, textInput, turn, turnScenario, withThread } from "../turn-steps.ts";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const thinking: ModelReply = {
  events: [
    responseCreated("resp_1"),
    { type: "response.output_item.added", item: { type: "reasoning", id: "rs_1", summary: [] } },
    { type: "response.reasoning_summary_part.added", item_id: "rs_1", summary_index: 0 },
    {
      type: "response.reasoning_summary_text.delta",
      item_id: "rs_1",
      summary_index: 0,
      delta: "Let me ",
    },
    { type: "response.reasoning_summary_text.delta", item_id: "rs_1", summary_index: 0, delta: "think" },
    { type: "response.reasoning_text.delta", item_id: "rs_1", content_index: 0, delta: "raw thought" },
    {
      type: "response.output_item.done",
      item: {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "Let me think" }],
        encrypted_content: "c2VjcmV0",
      },
    },
    ...eventsOf(streamedReply(["Hello", " wor", "ld"])).slice(1),
  ],
};

function eventsOf(model: ModelReply) {
  return "events" in model ? model.events : [];
}

function usage(id: string, numbers: Readonly<Record<"input" | "cached" | "output" | "reasoning", number>>) {
  return {
    type: "response.completed",
    response: {
      id,
      usage: {
        input_tokens: numbers.input,
        input_tokens_details: { cached_tokens: numbers.cached },
        output_tokens: numbers.output,
        output_tokens_details: { reasoning_tokens: numbers.reasoning },
        total_tokens: numbers.input + numbers.output,
      },
    },
  };
}

export const turnScenarios: readonly Scenario[] = [
  turnScenario({
    name: "turns/plain",
    about:
      "A turn tells its status, its start, each item with its deltas, the usage and its end, in one order.",
    model: [thinking],
    steps: [...withThread(), turn("Say hello"), completed, conversation],
  }),
  turnScenario({
    name: "turns/without-deltas",
    about: "A message that arrives whole still starts and completes.",
    model: [messageReply("Done")],
    steps: [...withThread(), turn("Go"), completed],
  }),
  turnScenario({
    name: "turns/stable-client",
    about:
      "A client without the experimental capability sees the same turn without experimental notifications.",
    model: [thinking],
    steps: [
      call(
        "initialize",
        { clientInfo: { name: "probe", title: null, version: "1.0.0" } },
        { as: "initialize", settles: true },
      ),
      call("thread/start", {}, { as: "thread", settles: true }),
      turn("Go"),
      completed,
    ],
  }),
  turnScenario({
    name: "turns/empty-input",
    about: "A turn without input asks the model and shows no user message.",
    model: [messageReply("Done")],
    steps: [...withThread(), turn("", { input: [] }), completed, conversation],
  }),
  turnScenario({
    name: "turns/blank-text",
    about: "An empty text is a user message like any other.",
    model: [messageReply("Done")],
    steps: [...withThread(), turn(""), completed, conversation],
  }),
  turnScenario({
    name: "turns/client-message-id",
    about: "The client's own id of a message comes back on its item.",
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      turn("Go", { clientUserMessageId: "mine-1" }),
      notification("item/completed", { item: { type: "userMessage", clientId: "mine-1" } }),
      completed,
    ],
  }),
  turnScenario({
    name: "turns/several-inputs",
    about: "Texts, marked text, an image, a mention and a skill make one user message.",
    model: [messageReply("Done")],
    files: {
      "home/skills/demo/SKILL.md": "---\nname: demo\ndescription: does demo things\n---\nDo the demo.\n",
    },
    steps: [
      ...withThread(),
      turn("", {
        input: [
          ...textInput("one"),
          {
            type: "text",
            text: "two <file>",
            text_elements: [{ byteRange: { start: 4, end: 10 }, placeholder: "<file>" }],
          },
          { type: "image", url: PIXEL },
          { type: "mention", name: "notes", path: "app://notes" },
          { type: "skill", name: "demo", path: "{{home}}/skills/demo/SKILL.md" },
        ],
      }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "turns/usage-adds-up",
    about: "Token usage is told per response and for the thread so far; a response without usage tells none.",
    model: [
      {
        events: [
          responseCreated("resp_1"),
          messageDone("msg_1", "One"),
          usage("resp_1", { input: 100, cached: 40, output: 20, reasoning: 5 }),
        ],
      },
      {
        events: [
          responseCreated("resp_2"),
          messageDone("msg_2", "Two"),
          usage("resp_2", { input: 300, cached: 200, output: 7, reasoning: 0 }),
        ],
      },
      {
        events: [
          responseCreated("resp_3"),
          messageDone("msg_3", "Three"),
          { type: "response.completed", response: { id: "resp_3" } },
        ],
      },
    ],
    steps: [
      ...withThread(),
      turn("One"),
      completed,
      turn("Two", {}, { as: "second" }),
      completed,
      turn("Three", {}, { as: "third" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "turns/phases",
    about: "Of several messages the one that is the final answer ends the turn's summary.",
    model: [
      reply(
        "1",
        {
          type: "response.output_item.done",
          item: {
            type: "message",
            role: "assistant",
            id: "msg_1",
            phase: "commentary",
            content: [{ type: "output_text", text: "Looking" }],
          },
        },
        {
          type: "response.output_item.done",
          item: {
            type: "message",
            role: "assistant",
            id: "msg_2",
            phase: "final_answer",
            content: [{ type: "output_text", text: "Found" }],
          },
        },
      ),
      messageReply("Next", { id: "3" }),
    ],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      turn("On", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "turns/no-output",
    about: "A response without any item completes the turn without an answer.",
    model: [
      { events: [responseCreated("resp_1"), responseCompleted("resp_1")] },
      messageReply("Done", { id: "2" }),
    ],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "turns/refused",
    about: "A turn that cannot start is refused and leaves the thread idle.",
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      refused("turn/start", { threadId: "abc", input: [] }, { $regex: "^invalid thread id" }, "bad id"),
      refused(
        "turn/start",
        { threadId: "00000000-0000-7000-8000-000000000000", input: [] },
        "thread not found: 00000000-0000-7000-8000-000000000000",
        "unknown thread",
      ),
      call("turn/start", { threadId: THREAD }, { as: "no input" }),
      call("turn/start", { threadId: THREAD, input: [{ type: "text" }] }, { as: "no text" }),
      call("turn/start", { threadId: THREAD, input: [{ type: "song" }] }, { as: "no such input" }),
      call(
        "turn/start",
        { threadId: THREAD, input: [{ type: "localImage", path: "{{workspace}}/none.png" }] },
        { as: "no such image" },
      ),
      notification("turn/completed"),
      call(
        "turn/start",
        { threadId: THREAD, input: textInput("x".repeat(1_048_577)) },
        {
          as: "too long",
          expect: {
            error: { code: -32602, data: { input_error_code: "input_too_large", actual_chars: 1_048_577 } },
          },
        },
      ),
      call(
        "turn/start",
        {
          threadId: THREAD,
          input: textInput("Go"),
          sandboxPolicy: { type: "readOnly" },
          permissions: ":workspace",
        },
        { as: "two kinds of permissions" },
      ),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
];
