/**
 * Events of the first protocol generation for items: a begin event for items that take time, and an end
 * event.
 */
import type { JsonObject } from "../../base/json-object.ts";
import { toSnake } from "../../base/letter-case.ts";
import { splitWords } from "../../base/shlex.ts";
import type { CommandAction, ThreadItem } from "../../protocol/generated/types.ts";
import { storeAction, storeChanges, storeDuration, storeWebAction } from "../../store/lines/stored-values.ts";
import { storeReview } from "../../store/lines/turn-values.ts";
import { type LegacyEvent, snakeMembers } from "./legacy-event.ts";

type ItemType = ThreadItem["type"];
type ItemOf<T extends ItemType> = Extract<ThreadItem, { type: T }>;
type ItemEvents<T extends ItemType> = (item: ItemOf<T>, turnId: string) => readonly LegacyEvent[];
type Table = { readonly [T in ItemType]: ItemEvents<T> };

const silent = () => [];

/** Items without a duration, such as messages, have only an end event. */
const started: Table = {
  userMessage: silent,
  hookPrompt: silent,
  agentMessage: silent,
  functionCallOutput: silent,
  plan: silent,
  reasoning: silent,
  commandExecution: (item, turnId) => [
    { type: "exec_command_begin", ...commandMembers(item), turn_id: turnId },
  ],
  fileChange: (item, turnId) => [
    {
      type: "patch_apply_begin",
      call_id: item.id,
      turn_id: turnId,
      auto_approved: false,
      changes: storeChanges(item.changes),
    },
  ],
  mcpToolCall: (item) => [{ type: "mcp_tool_call_begin", call_id: item.id, invocation: invocationOf(item) }],
  dynamicToolCall: (item, turnId) => [own("dynamic_tool_call_request", item, turnId)],
  collabAgentToolCall: (item, turnId) => [own("collab_agent_tool_call_begin", item, turnId)],
  subAgentActivity: silent,
  webSearch: (item) => [{ type: "web_search_begin", call_id: item.id }],
  imageView: silent,
  sleep: (item, turnId) => [own("sleep_begin", item, turnId)],
  imageGeneration: (item) => [{ type: "image_generation_begin", call_id: item.id }],
  enteredReviewMode: silent,
  exitedReviewMode: silent,
  contextCompaction: silent,
};

const completed: Table = {
  userMessage: ({ content }) => {
    const images = content.flatMap((part) => (part.type === "image" && "url" in part ? [part.url] : []));
    const message = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    return [{ type: "user_message", message, ...(images.length === 0 ? {} : { images }) }];
  },
  hookPrompt: (item, turnId) => [own("hook_prompt", item, turnId)],
  agentMessage: ({ text }) => [{ type: "agent_message", message: text }],
  functionCallOutput: (item, turnId) => [own("function_call_output", item, turnId)],
  plan: (item, turnId) => [own("plan", item, turnId)],
  reasoning: ({ summary, content }) => [
    ...summary.map((text) => ({ type: "agent_reasoning", text })),
    ...content.map((text) => ({ type: "agent_reasoning_raw_content", text })),
  ],
  commandExecution: (item, turnId) => [
    {
      type: "exec_command_end",
      ...commandMembers(item),
      turn_id: turnId,
      // The engine does not record which stream output came from.
      stdout: item.aggregatedOutput ?? "",
      stderr: "",
      aggregated_output: item.aggregatedOutput ?? "",
      exit_code: item.exitCode ?? -1,
      duration: storeDuration(item.durationMs ?? 0),
      formatted_output: item.aggregatedOutput ?? "",
      status: toSnake(item.status),
    },
  ],
  fileChange: (item, turnId) => [
    {
      type: "patch_apply_end",
      call_id: item.id,
      turn_id: turnId,
      stdout: "",
      stderr: "",
      success: item.status === "completed",
      changes: storeChanges(item.changes),
      status: toSnake(item.status),
    },
  ],
  mcpToolCall: (item) => [
    {
      type: "mcp_tool_call_end",
      call_id: item.id,
      invocation: invocationOf(item),
      duration: storeDuration(item.durationMs ?? 0),
      result: item.result === null ? { Err: item.error?.message ?? "" } : { Ok: item.result },
    },
  ],
  dynamicToolCall: (item, turnId) => [own("dynamic_tool_call_response", item, turnId)],
  collabAgentToolCall: (item, turnId) => [own("collab_agent_tool_call_end", item, turnId)],
  subAgentActivity: (item, turnId) => [own("sub_agent_activity", item, turnId)],
  webSearch: ({ id, query, action }) => [
    {
      type: "web_search_end",
      call_id: id,
      query,
      ...(action === null ? {} : { action: storeWebAction(action) }),
    },
  ],
  imageView: ({ id, path }) => [{ type: "view_image_tool_call", call_id: id, path }],
  sleep: (item, turnId) => [own("sleep_end", item, turnId)],
  imageGeneration: (item, turnId) => [own("image_generation_end", item, turnId)],
  enteredReviewMode: ({ review }) => [
    {
      type: "entered_review_mode",
      target: { type: "custom", instructions: review },
      user_facing_hint: review,
    },
  ],
  exitedReviewMode: ({ review }) => [{ type: "exited_review_mode", review_output: storeReview(review) }],
  contextCompaction: () => [{ type: "context_compacted" }],
};

export const itemStartedEvents = (item: ThreadItem, turnId: string) => lookUp(started, item, turnId);
export const itemCompletedEvents = (item: ThreadItem, turnId: string) => lookUp(completed, item, turnId);

/** The words of a command line; a line that cannot be parsed is a single word. */
export function toArgv(line: string): string[] {
  return splitWords(line) ?? [line];
}

export function toParsedCommands(actions: readonly CommandAction[]): JsonObject[] {
  return actions.map(storeAction);
}

function lookUp(table: Table, item: ThreadItem, turnId: string): readonly LegacyEvent[] {
  // The entry of an item's type accepts that item.
  const events = table[item.type] as (item: ThreadItem, turnId: string) => readonly LegacyEvent[];
  return events(item, turnId);
}

/** An event that the first generation did not have: the members of the item in snake_case. */
function own(type: string, item: ThreadItem, turnId: string): LegacyEvent {
  const { type: _type, id, ...rest } = item;
  return { type, call_id: id, turn_id: turnId, ...snakeMembers(rest) };
}

function commandMembers(item: ItemOf<"commandExecution">): JsonObject {
  return {
    call_id: item.id,
    command: toArgv(item.command),
    cwd: item.cwd,
    parsed_cmd: toParsedCommands(item.commandActions),
    source: toSnake(item.source),
  };
}

function invocationOf({ server, tool, arguments: given }: ItemOf<"mcpToolCall">): JsonObject {
  return { server, tool, arguments: given };
}
