// Items on their way out of a file. Every member is checked: a file may come from another program or another time.

import type { JsonObject } from "../../base/json-object.ts";
import { redactCommand, redactWords } from "../../base/redact-secrets.ts";
import { joinWords } from "../../base/shlex.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { arrayOf, booleanOf, numberOf, objectOf, objectsOf, textOf, textsOf, toCamel } from "./members.ts";
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

/** By the kind of item in the file. */
export const readers: { readonly [type: string]: Reader } = {
  UserMessage: (stored, id) => ({
    type: "userMessage",
    id,
    clientId: textOf(stored, "client_id"),
    content: objectsOf(stored, "content").map(readUserInput),
  }),
  HookPrompt: (stored, id) => ({
    type: "hookPrompt",
    id,
    fragments: objectsOf(stored, "fragments").map((fragment) => ({
      text: textOf(fragment, "text") ?? "",
      hookRunId: textOf(fragment, "hookRunId") ?? "",
    })),
  }),
  AgentMessage: readAgentMessage,
  FunctionCallOutput: (stored, id) => ({
    type: "functionCallOutput",
    id,
    name: textOf(stored, "name") ?? "",
    namespace: textOf(stored, "namespace"),
    output: (stored["output"] ?? "") as ItemOf<"functionCallOutput">["output"],
  }),
  Plan: (stored, id) => ({ type: "plan", id, text: textOf(stored, "text") ?? "" }),
  Reasoning: (stored, id) => ({
    type: "reasoning",
    id,
    summary: textsOf(stored, "summary_text"),
    content: textsOf(stored, "raw_content"),
  }),
  CommandExecution: readCommand,
  FileChange: (stored, id) => ({
    type: "fileChange",
    id,
    changes: readChanges(objectOf(stored, "changes") ?? {}),
    status: readStatus(stored) as ItemOf<"fileChange">["status"],
  }),
  McpToolCall: readMcpCall,
  DynamicToolCall: (stored, id) => ({
    type: "dynamicToolCall",
    id,
    namespace: textOf(stored, "namespace"),
    tool: textOf(stored, "tool") ?? "",
    arguments: stored["arguments"] ?? null,
    status: readStatus(stored) as ItemOf<"dynamicToolCall">["status"],
    contentItems: Array.isArray(stored["content_items"])
      ? (stored["content_items"] as ItemOf<"dynamicToolCall">["contentItems"])
      : null,
    success: booleanOf(stored, "success"),
    durationMs: readDuration(stored),
  }),
  CollabAgentToolCall: (stored, id) => ({
    type: "collabAgentToolCall",
    id,
    tool: toCamel(textOf(stored, "tool") ?? "") as ItemOf<"collabAgentToolCall">["tool"],
    status: readStatus(stored) as ItemOf<"collabAgentToolCall">["status"],
    senderThreadId: textOf(stored, "sender_thread_id") ?? "",
    receiverThreadIds: textsOf(stored, "receiver_thread_ids"),
    prompt: textOf(stored, "prompt"),
    model: textOf(stored, "model"),
    reasoningEffort: textOf(stored, "reasoning_effort"),
    agentsStates: readAgentStates(objectOf(stored, "agents_states") ?? {}),
  }),
  SubAgentActivity: (stored, id) => ({
    type: "subAgentActivity",
    model: textOf(stored, "model"),
    reasoningEffort: textOf(stored, "reasoning_effort"),
    id,
    kind: toCamel(textOf(stored, "kind") ?? "") as ItemOf<"subAgentActivity">["kind"],
    agentThreadId: textOf(stored, "agent_thread_id") ?? "",
    agentPath: textOf(stored, "agent_path") ?? "",
  }),
  WebSearch: readWebSearch,
  ImageView: (stored, id) => ({ type: "imageView", id, path: readPath(textOf(stored, "path") ?? "") }),
  ImageGeneration: (stored, id) => ({
    type: "imageGeneration",
    id,
    status: textOf(stored, "status") ?? "",
    revisedPrompt: textOf(stored, "revised_prompt"),
    transparentBackground: null,
    failure: null,
    generationId: null,
    result: textOf(stored, "result") ?? "",
    ...optionalText("savedPath", textOf(stored, "saved_path")),
  }),
  EnteredReviewMode: (stored, id) => ({
    type: "enteredReviewMode",
    id,
    review: textOf(stored, "user_facing_hint") ?? "",
  }),
  ExitedReviewMode: (stored, id) => ({
    type: "exitedReviewMode",
    id,
    review: readReview(objectOf(stored, "review_output")),
  }),
  ContextCompaction: (_stored, id) => ({ type: "contextCompaction", id }),
  Extension: readExtension,
};

function readAgentMessage(stored: JsonObject, id: string): ItemOf<"agentMessage"> {
  const citation = objectOf(stored, "memory_citation");
  return {
    type: "agentMessage",
    id,
    text: objectsOf(stored, "content")
      .map((part) => textOf(part, "text") ?? "")
      .join(""),
    phase: textOf(stored, "phase") as ItemOf<"agentMessage">["phase"],
    memoryCitation: citation === null ? null : readCitation(citation),
    delivery: textOf(stored, "delivery") as ItemOf<"agentMessage">["delivery"],
    questions: Array.isArray(stored["questions"])
      ? (stored["questions"] as ItemOf<"agentMessage">["questions"])
      : null,
  };
}

function readCommand(stored: JsonObject, id: string): ItemOf<"commandExecution"> {
  const cwd = readPath(textOf(stored, "cwd") ?? "");
  // What others have stored may hold secrets.
  return {
    type: "commandExecution",
    id,
    pluginId: textOf(stored, "plugin_id"),
    scriptPath: textOf(stored, "script_path"),
    command: joinWords(redactWords(textsOf(stored, "command"))),
    cwd,
    processId: textOf(stored, "process_id"),
    source: toCamel(textOf(stored, "source") ?? "agent") as ItemOf<"commandExecution">["source"],
    status: readStatus(stored) as ItemOf<"commandExecution">["status"],
    commandActions: objectsOf(stored, "parsed_cmd").map((action) => redactCommand(readAction(action, cwd))),
    aggregatedOutput: textOf(stored, "aggregated_output") || null,
    exitCode: numberOf(stored, "exit_code"),
    durationMs: readDuration(stored),
  };
}

function readMcpCall(stored: JsonObject, id: string): ItemOf<"mcpToolCall"> {
  const connectorId = textOf(stored, "connectorId");
  const resourceUri = textOf(stored, "mcpAppResourceUri");
  const result = objectOf(stored, "result");
  const error = objectOf(stored, "error");
  const ui = objectOf(stored, "mcpAppUi");
  const appContext = {
    linkId: textOf(stored, "linkId"),
    resourceUri,
    appName: textOf(stored, "appName"),
    actionName: textOf(stored, "actionName"),
  };
  return {
    type: "mcpToolCall",
    id,
    server: textOf(stored, "server") ?? "",
    tool: textOf(stored, "tool") ?? "",
    status: readStatus(stored) as ItemOf<"mcpToolCall">["status"],
    arguments: stored["arguments"] ?? null,
    appContext: connectorId === null ? null : { connectorId, ...appContext },
    ...optionalText("mcpAppResourceUri", resourceUri),
    mcpAppUi: ui as ItemOf<"mcpToolCall">["mcpAppUi"],
    pluginId: textOf(stored, "pluginId"),
    readOnlyHint: booleanOf(stored, "readOnlyHint"),
    result: result === null ? null : readMcpResult(result),
    error: error === null ? null : { message: textOf(error, "message") ?? "" },
    durationMs: readDuration(stored),
  };
}

export function readMcpResult(stored: JsonObject): NonNullable<ItemOf<"mcpToolCall">["result"]> {
  return {
    content: [...arrayOf(stored, "content")],
    structuredContent: stored["structuredContent"] ?? null,
    _meta: stored["_meta"] ?? null,
  };
}

function readWebSearch(stored: JsonObject, id: string): ItemOf<"webSearch"> {
  const action = objectOf(stored, "action");
  return {
    type: "webSearch",
    id,
    query: textOf(stored, "query") ?? "",
    action: action === null ? null : readWebAction(action),
    results: Array.isArray(stored["results"]) ? [...arrayOf(stored, "results")] : null,
  };
}

/** Extensions keep their items in the wire's own form, under a kind of their own. */
function readExtension(stored: JsonObject, id: string): ThreadItem | null {
  switch (textOf(stored, "kind")) {
    case "clock.sleep":
      return { type: "sleep", id, durationMs: numberOf(stored, "durationMs") ?? 0 };
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
  const place = textOf(stored, "fileId") === null ? { result: textOf(stored, "result") ?? "" } : {};
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
  return toCamel(textOf(stored, "status") ?? "in_progress");
}

function optionalText<K extends string>(key: K, value: string | null): { [P in K]?: string } {
  return (value === null ? {} : { [key]: value }) as { [P in K]?: string };
}
