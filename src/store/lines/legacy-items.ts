/** Items from the events of legacy files, which store messages and results instead of items. */

import { arrayMember, objectMember, textMember, textsMember } from "../../base/json-members.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { ThreadItem, UserInput } from "../../protocol/generated/types.ts";
import { readers, readMcpResult } from "./read-item.ts";
import { readTextElements } from "./stored-values.ts";
import { readReview } from "./turn-values.ts";

type CreateItem = (event: JsonObject, nextId: () => string) => ThreadItem | null;

/** By event type. Messages and reasoning without text are not items. */
const itemFactories: { readonly [type: string]: CreateItem } = {
  user_message: (event, nextId) => ({
    type: "userMessage",
    id: nextId(),
    clientId: textMember(event, "client_id"),
    content: userContent(event),
  }),
  agent_message: (event, nextId) => (textMember(event, "message") ? agentMessage(event, nextId()) : null),
  agent_reasoning(event, nextId) {
    const text = textMember(event, "text");
    return text ? reasoning(nextId(), [text], []) : null;
  },
  agent_reasoning_raw_content(event, nextId) {
    const text = textMember(event, "text");
    return text ? reasoning(nextId(), [], [text]) : null;
  },
  patch_apply_end: (event, nextId) => readAs("FileChange", event, callId(event, nextId)),
  mcp_tool_call_end: (event, nextId) => mcpCall(event, callId(event, nextId)),
  web_search_end: (event, nextId) => readAs("WebSearch", event, callId(event, nextId)),
  image_generation_end: (event, nextId) => readAs("ImageGeneration", event, callId(event, nextId)),
  entered_review_mode: (event, nextId) => ({
    type: "enteredReviewMode",
    id: textMember(event, "item_id") ?? nextId(),
    review: textMember(event, "user_facing_hint") ?? "",
  }),
  exited_review_mode: (event, nextId) => ({
    type: "exitedReviewMode",
    id: textMember(event, "item_id") ?? nextId(),
    review: readReview(objectMember(event, "review_output")),
  }),
  context_compacted: (_event, nextId) => ({ type: "contextCompaction", id: nextId() }),
};

/** The item of an event; null for events without one. `nextId` provides an id if the event has none. */
export function legacyItem(event: JsonObject, nextId: () => string): ThreadItem | null {
  const type = textMember(event, "type") ?? "";
  return (Object.hasOwn(itemFactories, type) ? itemFactories[type]?.(event, nextId) : null) ?? null;
}

function callId(event: JsonObject, nextId: () => string): string {
  return textMember(event, "call_id") ?? nextId();
}

/** Reasoning that directly follows reasoning is merged into the same item. */
export function joinReasoning(last: ThreadItem | null, item: ThreadItem): ThreadItem | null {
  if (last?.type !== "reasoning" || item.type !== "reasoning") return null;
  return reasoning(last.id, [...last.summary, ...item.summary], [...last.content, ...item.content]);
}

function reasoning(id: string, summary: string[], content: string[]): ThreadItem {
  return { type: "reasoning", id, summary, content };
}

function readAs(kind: string, event: JsonObject, id: string): ThreadItem | null {
  return readers[kind]?.({ ...event, type: kind }, id) ?? null;
}

function agentMessage(event: JsonObject, id: string): ThreadItem | null {
  return readAs(
    "AgentMessage",
    { ...event, content: [{ type: "Text", text: textMember(event, "message") }] },
    id,
  );
}

function userContent(event: JsonObject): UserInput[] {
  const message = textMember(event, "message") ?? "";
  const text: UserInput[] =
    message.trim() === "" ? [] : [{ type: "text", text: message, text_elements: readTextElements(event) }];
  const detailOf = (key: string, at: number): { detail: null } =>
    ({ detail: arrayMember(event, key)[at] ?? null }) as { detail: null };
  return [
    ...text,
    ...textsMember(event, "images").map(
      (url, at): UserInput => ({ type: "image", url, ...detailOf("image_details", at) }),
    ),
    ...textsMember(event, "local_images").map(
      (path, at): UserInput => ({ type: "localImage", ...detailOf("local_image_details", at), path }),
    ),
    ...textsMember(event, "audio").map((url): UserInput => ({ type: "audio", url })),
    ...textsMember(event, "local_audio").map((path): UserInput => ({ type: "localAudio", path })),
  ];
}

function mcpCall(event: JsonObject, id: string): ThreadItem | null {
  const invocation = objectMember(event, "invocation") ?? {};
  const result = objectMember(event, "result") ?? {};
  const answer = objectMember(result, "Ok");
  const failed = answer === null || answer["isError"] === true;
  const parts = {
    ...invocation,
    connectorId: event["connector_id"],
    linkId: event["link_id"],
    appName: event["app_name"],
    actionName: event["action_name"],
    mcpAppResourceUri: event["mcp_app_resource_uri"],
    pluginId: event["plugin_id"],
    readOnlyHint: event["read_only_hint"],
    duration: event["duration"],
    status: failed ? "failed" : "completed",
    ...(answer === null
      ? { error: { message: textMember(result, "Err") ?? "" } }
      : { result: readMcpResult(answer) }),
  };
  return readAs("McpToolCall", parts, id);
}

/** Kinds of `item_completed` that a legacy file also stores as events, and that count only once. */
export function isLegacyDuplicate(item: JsonObject): boolean {
  return ["UserMessage", "AgentMessage", "Reasoning"].includes(textMember(item, "type") ?? "");
}
