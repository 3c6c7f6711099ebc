// Deserialization of items. Every member is checked, because a file may come from another program or version.

import {
  arrayMember,
  booleanMember,
  numberMember,
  objectMember,
  objectsMember,
  textMember,
  textsMember,
} from "../../base/json-members.ts";
import type { JsonObject } from "../../base/json-object.ts";
import { toCamel } from "../../base/letter-case.ts";
import { redactCommand, redactWords } from "../../base/redact-secrets.ts";
import { joinWords } from "../../base/shlex.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import {
  readAction,
  readAgentStates,
  readChanges,
  readCitation,
  readDuration,
  readPath,
  readUserInput,
  readWebAction,
} from "./stored-values.ts";
import { readReview } from "./turn-values.ts";

type ItemOf<T extends ThreadItem["type"]> = Extract<ThreadItem, { type: T }>;
type Reader = (stored: JsonObject, id: string) => ThreadItem | null;

/** By the item type in the file. */
export const readers: { readonly [type: string]: Reader } = {
  UserMessage: (stored, id) => {
    const sentBy = textMember(stored, "heddle_sent_by");
    return {
      type: "userMessage",
      id,
      clientId: textMember(stored, "client_id"),
      content: objectsMember(stored, "content").map(readUserInput),
      ...(sentBy !== null && { sentBy }),
    };
  },
  HookPrompt: (stored, id) => ({
    type: "hookPrompt",
    id,
    fragments: objectsMember(stored, "fragments").map((fragment) => ({
      text: textMember(fragment, "text") ?? "",
      hookRunId: textMember(fragment, "hookRunId") ?? "",
    })),
  }),
  AgentMessage: readAgentMessage,
  FunctionCallOutput: (stored, id) => ({
    type: "functionCallOutput",
    id,
    name: textMember(stored, "name") ?? "",
    namespace: textMember(stored, "namespace"),
    output: (stored["output"] ?? "") as ItemOf<"functionCallOutput">["output"],
  }),
  Plan: (stored, id) => ({ type: "plan", id, text: textMember(stored, "text") ?? "" }),
  Reasoning: (stored, id) => ({
    type: "reasoning",
    id,
    summary: textsMember(stored, "summary_text"),
    content: textsMember(stored, "raw_content"),
  }),
  CommandExecution: readCommand,
  FileChange: (stored, id) => ({
    type: "fileChange",
    id,
    changes: readChanges(objectMember(stored, "changes") ?? {}),
    status: readStatus(stored) as ItemOf<"fileChange">["status"],
  }),
  McpToolCall: readMcpCall,
  DynamicToolCall: (stored, id) => ({
    type: "dynamicToolCall",
    id,
    namespace: textMember(stored, "namespace"),
    tool: textMember(stored, "tool") ?? "",
    arguments: stored["arguments"] ?? null,
    status: readStatus(stored) as ItemOf<"dynamicToolCall">["status"],
    contentItems: Array.isArray(stored["content_items"])
      ? (stored["content_items"] as ItemOf<"dynamicToolCall">["contentItems"])
      : null,
    success: booleanMember(stored, "success"),
    durationMs: readDuration(stored),
  }),
  CollabAgentToolCall: (stored, id) => ({
    type: "collabAgentToolCall",
    id,
    tool: toCamel(textMember(stored, "tool") ?? "") as ItemOf<"collabAgentToolCall">["tool"],
    status: readStatus(stored) as ItemOf<"collabAgentToolCall">["status"],
    senderThreadId: textMember(stored, "sender_thread_id") ?? "",
    receiverThreadIds: textsMember(stored, "receiver_thread_ids"),
    prompt: textMember(stored, "prompt"),
    model: textMember(stored, "model"),
    reasoningEffort: textMember(stored, "reasoning_effort"),
    agentsStates: readAgentStates(objectMember(stored, "agents_states") ?? {}),
  }),
  SubAgentActivity: (stored, id) => ({
    type: "subAgentActivity",
    model: textMember(stored, "model"),
    reasoningEffort: textMember(stored, "reasoning_effort"),
    id,
    kind: toCamel(textMember(stored, "kind") ?? "") as ItemOf<"subAgentActivity">["kind"],
    agentThreadId: textMember(stored, "agent_thread_id") ?? "",
    agentPath: textMember(stored, "agent_path") ?? "",
  }),
  WebSearch: readWebSearch,
  ImageView: (stored, id) => ({ type: "imageView", id, path: readPath(textMember(stored, "path") ?? "") }),
  ImageGeneration: (stored, id) => ({
    type: "imageGeneration",
    id,
    status: textMember(stored, "status") ?? "",
    revisedPrompt: textMember(stored, "revised_prompt"),
    transparentBackground: null,
    failure: null,
    generationId: null,
    result: textMember(stored, "result") ?? "",
    ...optionalText("savedPath", textMember(stored, "saved_path")),
  }),
  EnteredReviewMode: (stored, id) => ({
    type: "enteredReviewMode",
    id,
    review: textMember(stored, "user_facing_hint") ?? "",
  }),
  ExitedReviewMode: (stored, id) => ({
    type: "exitedReviewMode",
    id,
    review: readReview(objectMember(stored, "review_output")),
  }),
  ContextCompaction: (_stored, id) => ({ type: "contextCompaction", id }),
  Extension: readExtension,
};

function readAgentMessage(stored: JsonObject, id: string): ItemOf<"agentMessage"> {
  const citation = objectMember(stored, "memory_citation");
  return {
    type: "agentMessage",
    id,
    text: objectsMember(stored, "content")
      .map((part) => textMember(part, "text") ?? "")
      .join(""),
    phase: textMember(stored, "phase") as ItemOf<"agentMessage">["phase"],
    memoryCitation: citation === null ? null : readCitation(citation),
    delivery: textMember(stored, "delivery") as ItemOf<"agentMessage">["delivery"],
    questions: Array.isArray(stored["questions"])
      ? (stored["questions"] as ItemOf<"agentMessage">["questions"])
      : null,
  };
}

function readCommand(stored: JsonObject, id: string): ItemOf<"commandExecution"> {
  const cwd = readPath(textMember(stored, "cwd") ?? "");
  // Commands that other programs stored may contain secrets.
  return {
    type: "commandExecution",
    id,
    pluginId: textMember(stored, "plugin_id"),
    scriptPath: textMember(stored, "script_path"),
    command: joinWords(redactWords(textsMember(stored, "command"))),
    cwd,
    processId: textMember(stored, "process_id"),
    source: toCamel(textMember(stored, "source") ?? "agent") as ItemOf<"commandExecution">["source"],
    status: readStatus(stored) as ItemOf<"commandExecution">["status"],
    commandActions: objectsMember(stored, "parsed_cmd").map((action) =>
      redactCommand(readAction(action, cwd)),
    ),
    aggregatedOutput: textMember(stored, "aggregated_output") || null,
    exitCode: numberMember(stored, "exit_code"),
    durationMs: readDuration(stored),
  };
}

function readMcpCall(stored: JsonObject, id: string): ItemOf<"mcpToolCall"> {
  const connectorId = textMember(stored, "connectorId");
  const resourceUri = textMember(stored, "mcpAppResourceUri");
  const result = objectMember(stored, "result");
  const error = objectMember(stored, "error");
  const ui = objectMember(stored, "mcpAppUi");
  const appContext = {
    linkId: textMember(stored, "linkId"),
    resourceUri,
    appName: textMember(stored, "appName"),
    actionName: textMember(stored, "actionName"),
  };
  return {
    type: "mcpToolCall",
    id,
    server: textMember(stored, "server") ?? "",
    tool: textMember(stored, "tool") ?? "",
    status: readStatus(stored) as ItemOf<"mcpToolCall">["status"],
    arguments: stored["arguments"] ?? null,
    appContext: connectorId === null ? null : { connectorId, ...appContext },
    ...optionalText("mcpAppResourceUri", resourceUri),
    mcpAppUi: ui as ItemOf<"mcpToolCall">["mcpAppUi"],
    pluginId: textMember(stored, "pluginId"),
    readOnlyHint: booleanMember(stored, "readOnlyHint"),
    result: result === null ? null : readMcpResult(result),
    error: error === null ? null : { message: textMember(error, "message") ?? "" },
    durationMs: readDuration(stored),
  };
}

export function readMcpResult(stored: JsonObject): NonNullable<ItemOf<"mcpToolCall">["result"]> {
  return {
    content: [...arrayMember(stored, "content")],
    structuredContent: stored["structuredContent"] ?? null,
    _meta: stored["_meta"] ?? null,
  };
}

function readWebSearch(stored: JsonObject, id: string): ItemOf<"webSearch"> {
  const action = objectMember(stored, "action");
  return {
    type: "webSearch",
    id,
    query: textMember(stored, "query") ?? "",
    action: action === null ? null : readWebAction(action),
    results: Array.isArray(stored["results"]) ? [...arrayMember(stored, "results")] : null,
  };
}

/** Extensions store their items in wire form, under their own `kind`. */
function readExtension(stored: JsonObject, id: string): ThreadItem | null {
  switch (textMember(stored, "kind")) {
    case "clock.sleep":
      return { type: "sleep", id, durationMs: numberMember(stored, "durationMs") ?? 0 };
    case "web.search":
      return readWebSearch(stored, id);
    case "image_gen.generation":
      return readImageGeneration(stored, id);
    default:
      return null;
  }
}

function readImageGeneration(stored: JsonObject, id: string): ItemOf<"imageGeneration"> {
  const { type: _type, kind: _kind, ...rest } = stored;
  const place = textMember(stored, "fileId") === null ? { result: textMember(stored, "result") ?? "" } : {};
  return {
    revisedPrompt: null,
    failure: null,
    generationId: null,
    status: "",
    ...rest,
    ...place,
    type: "imageGeneration",
    id,
  } as ItemOf<"imageGeneration">;
}

function readStatus(stored: JsonObject): string {
  return toCamel(textMember(stored, "status") ?? "in_progress");
}

function optionalText<K extends string>(key: K, value: string | null): { [P in K]?: string } {
  return (value === null ? {} : { [key]: value }) as { [P in K]?: string };
}
