// Serialization of items into a file. The caller omits null members.

import type { JsonObject } from "../../base/json-object.ts";
import { toSnake } from "../../base/letter-case.ts";
import { splitWords } from "../../base/shlex.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import {
  storeAction,
  storeAgentStates,
  storeChanges,
  storeCitation,
  storeDuration,
  storePath,
  storeUserInput,
  storeWebAction,
} from "./stored-values.ts";
import { storeReview } from "./turn-values.ts";

type ItemOf<T extends ThreadItem["type"]> = Extract<ThreadItem, { type: T }>;
type Serializers = { readonly [T in ThreadItem["type"]]: (item: ItemOf<T>) => JsonObject };

const serializers: Serializers = {
  userMessage: (item) => ({
    type: "UserMessage",
    client_id: item.clientId,
    heddle_sent_by: item.sentBy,
    content: item.content.map(storeUserInput),
  }),
  hookPrompt: (item) => ({ type: "HookPrompt", fragments: item.fragments }),
  agentMessage: (item) => ({
    type: "AgentMessage",
    content: [{ type: "Text", text: item.text }],
    phase: item.phase,
    memory_citation: item.memoryCitation === null ? null : storeCitation(item.memoryCitation),
    delivery: item.delivery,
    questions: item.questions,
  }),
  functionCallOutput: (item) => ({
    type: "FunctionCallOutput",
    name: item.name,
    namespace: item.namespace,
    output: item.output,
  }),
  plan: (item) => ({ type: "Plan", text: item.text }),
  reasoning: (item) => ({ type: "Reasoning", summary_text: item.summary, raw_content: item.content }),
  commandExecution: (item) => ({
    type: "CommandExecution",
    plugin_id: item.pluginId,
    script_path: item.scriptPath,
    process_id: item.processId,
    command: splitWords(item.command) ?? [item.command],
    cwd: storePath(item.cwd),
    parsed_cmd: item.commandActions.map(storeAction),
    source: toSnake(item.source),
    status: toSnake(item.status),
    aggregated_output: item.aggregatedOutput,
    exit_code: item.exitCode,
    duration: storeDuration(item.durationMs),
  }),
  fileChange: (item) => ({
    type: "FileChange",
    changes: storeChanges(item.changes),
    status: item.status === "inProgress" ? null : item.status,
  }),
  mcpToolCall: storeMcpCall,
  dynamicToolCall: (item) => ({
    type: "DynamicToolCall",
    namespace: item.namespace,
    tool: item.tool,
    arguments: item.arguments,
    status: toSnake(item.status),
    content_items: item.contentItems,
    success: item.success,
    duration: storeDuration(item.durationMs),
  }),
  collabAgentToolCall: (item) => ({
    type: "CollabAgentToolCall",
    tool: toSnake(item.tool),
    status: toSnake(item.status),
    sender_thread_id: item.senderThreadId,
    receiver_thread_ids: item.receiverThreadIds,
    receiver_agents: [],
    prompt: item.prompt,
    model: item.model,
    reasoning_effort: item.reasoningEffort,
    agents_states: storeAgentStates(item.agentsStates),
  }),
  subAgentActivity: (item) => ({
    type: "SubAgentActivity",
    kind: toSnake(item.kind),
    agent_thread_id: item.agentThreadId,
    agent_path: item.agentPath,
    model: item.model,
    reasoning_effort: item.reasoningEffort,
  }),
  webSearch: (item) =>
    item.action === null
      ? { type: "Extension", kind: "web.search", query: item.query, results: item.results }
      : {
          type: "WebSearch",
          query: item.query,
          action: storeWebAction(item.action),
          results: item.results,
        },
  imageView: (item) => ({ type: "ImageView", path: storePath(item.path) }),
  sleep: (item) => ({ type: "Extension", kind: "clock.sleep", durationMs: item.durationMs }),
  imageGeneration: (item) => ({ ...item, type: "Extension", kind: "image_gen.generation" }),
  enteredReviewMode: (item) => ({
    type: "EnteredReviewMode",
    target: { type: "custom", instructions: item.review },
    user_facing_hint: item.review,
  }),
  exitedReviewMode: (item) => ({ type: "ExitedReviewMode", review_output: storeReview(item.review) }),
  contextCompaction: () => ({ type: "ContextCompaction" }),
};

export function storeItemParts(item: ThreadItem): JsonObject {
  const store = serializers[item.type] as ((item: ThreadItem) => JsonObject) | undefined;
  // A kind from a later protocol has no file form of its own and is stored as it is.
  return store === undefined ? { type: item.type } : store(item);
}

function storeMcpCall(item: ItemOf<"mcpToolCall">): JsonObject {
  return {
    type: "McpToolCall",
    server: item.server,
    tool: item.tool,
    arguments: item.arguments,
    connectorId: item.appContext?.connectorId,
    linkId: item.appContext?.linkId,
    appName: item.appContext?.appName,
    actionName: item.appContext?.actionName,
    mcpAppResourceUri: item.mcpAppResourceUri ?? item.appContext?.resourceUri,
    mcpAppUi: item.mcpAppUi,
    pluginId: item.pluginId,
    readOnlyHint: item.readOnlyHint,
    status: item.status,
    result: item.result,
    error: item.error,
    duration: storeDuration(item.durationMs),
  };
}
