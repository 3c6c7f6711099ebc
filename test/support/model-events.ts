/** Events of a Responses API stream for scripts, as plain data. */
import type { ModelReply } from "./scripted-model.ts";

export type ModelEvent = { readonly type: string; readonly [key: string]: unknown };

export function responseCreated(id: string): ModelEvent {
  return { type: "response.created", response: { id } };
}

export function responseCompleted(id: string, tokens = { input: 10, output: 5 }): ModelEvent {
  const usage = {
    input_tokens: tokens.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens.input + tokens.output,
  };
  return { type: "response.completed", response: { id, usage } };
}

export function messageDone(id: string, text: string): ModelEvent {
  return { type: "response.output_item.done", item: messageItem(id, text) };
}

export function functionCallDone(callId: string, name: string, args: unknown): ModelEvent {
  return {
    type: "response.output_item.done",
    item: { type: "function_call", call_id: callId, name, arguments: JSON.stringify(args) },
  };
}

/** A call whose input is free text, as a patch is. */
export function customCallDone(callId: string, name: string, input: string): ModelEvent {
  return {
    type: "response.output_item.done",
    item: { type: "custom_tool_call", call_id: callId, name, input },
  };
}

/** A complete reply with these events. */
export function reply(id: string, ...events: readonly ModelEvent[]): ModelReply {
  return { events: [responseCreated(`resp_${id}`), ...events, responseCompleted(`resp_${id}`)] };
}

/** A complete reply with one message. */
export function messageReply(text: string, options: { held?: boolean; id?: string } = {}): ModelReply {
  const id = options.id ?? "1";
  return {
    events: [responseCreated(`resp_${id}`), messageDone(`msg_${id}`, text), responseCompleted(`resp_${id}`)],
    ...(options.held === undefined ? {} : { held: options.held }),
  };
}

/** A complete reply whose text arrives in deltas. */
export function streamedReply(pieces: readonly string[], id = "1"): ModelReply {
  const item = `msg_${id}`;
  return {
    events: [
      responseCreated(`resp_${id}`),
      { type: "response.output_item.added", item: messageItem(item, "") },
      ...pieces.map((delta) => ({ type: "response.output_text.delta", item_id: item, delta })),
      messageDone(item, pieces.join("")),
      responseCompleted(`resp_${id}`),
    ],
  };
}

/** A reply that starts a message and does not end. */
export function unfinishedReply(text: string, id = "1"): ModelReply {
  const item = `msg_${id}`;
  return {
    events: [
      responseCreated(`resp_${id}`),
      { type: "response.output_item.added", item: messageItem(item, "") },
      { type: "response.output_text.delta", item_id: item, delta: text },
    ],
    open: true,
  };
}

function messageItem(id: string, text: string) {
  return {
    type: "message",
    role: "assistant",
    id,
    content: text === "" ? [] : [{ type: "output_text", text }],
  };
}
