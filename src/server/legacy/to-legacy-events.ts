/** Converts notifications about a thread to events of the first protocol generation. */

import { withoutNulls } from "../../base/json-members.ts";
import type { JsonObject } from "../../base/json-object.ts";
import { toSnake } from "../../base/letter-case.ts";
import type {
  RateLimitSnapshot,
  RateLimitWindow,
  ServerNotifications,
  TokenUsageBreakdown,
  Turn,
} from "../../protocol/generated/types.ts";
import { storeChanges } from "../../store/lines/stored-values.ts";
import { itemCompletedEvents, itemStartedEvents } from "./item-events.ts";
import { type LegacyEvent, type NotificationMethod, snakeMembers } from "./legacy-event.ts";

/** Facts for events that their notifications do not contain. */
export interface LegacyContext {
  /** The last message of the agent in the running turn. */
  readonly lastAgentMessage: string | null;
}

type Events<M extends NotificationMethod> = (
  params: ServerNotifications[M],
  context: LegacyContext,
) => readonly LegacyEvent[];

const counterparts: { readonly [M in NotificationMethod]?: Events<M> } = {
  "thread/started": ({ thread }) => [
    {
      type: "session_configured",
      ...withoutNulls({
        session_id: thread.sessionId,
        thread_id: thread.id,
        forked_from_id: thread.forkedFromId,
        thread_name: thread.name,
        model: thread.model ?? "",
        model_provider_id: thread.modelProvider,
        cwd: thread.cwd,
        reasoning_effort: thread.reasoningEffort,
        history_log_id: 0,
        history_entry_count: 0,
        rollout_path: thread.path,
      }),
    },
  ],
  "thread/closed": () => [{ type: "shutdown_complete" }],
  "thread/tokenUsage/updated": ({ tokenUsage: { total, last, modelContextWindow } }) => [
    {
      type: "token_count",
      info: {
        total_token_usage: toUsage(total),
        last_token_usage: toUsage(last),
        model_context_window: modelContextWindow,
      },
      rate_limits: null,
    },
  ],
  "account/rateLimits/updated": ({ rateLimits }) => [
    { type: "token_count", info: null, rate_limits: toRateLimits(rateLimits) },
  ],
  "thread/compacted": () => [{ type: "context_compacted" }],
  error: ({ error, willRetry }) => [
    {
      type: willRetry ? "stream_error" : "error",
      message: error.message,
      ...(error.codexErrorInfo === null ? {} : { codex_error_info: error.codexErrorInfo }),
    },
  ],
  warning: ({ message }) => [{ type: "warning", message }],
  guardianWarning: ({ message }) => [{ type: "guardian_warning", message }],
  "turn/started": ({ turn }) => [{ type: "task_started", turn_id: turn.id, model_context_window: null }],
  "turn/completed": ({ turn }, { lastAgentMessage }) => [endOf(turn, lastAgentMessage)],
  "turn/diff/updated": ({ diff }) => [{ type: "turn_diff", unified_diff: diff }],
  "turn/plan/updated": ({ explanation, plan }) => [
    {
      type: "plan_update",
      explanation,
      plan: plan.map(({ step, status }) => ({ step, status: toSnake(status) })),
    },
  ],
  "item/started": ({ item, turnId }) => itemStartedEvents(item, turnId),
  "item/completed": ({ item, turnId }) => itemCompletedEvents(item, turnId),
  "rawResponseItem/completed": ({ item }) => [{ type: "raw_response_item", item }],
  "item/agentMessage/delta": ({ delta }) => [{ type: "agent_message_delta", delta }],
  "item/reasoning/summaryTextDelta": ({ delta }) => [{ type: "agent_reasoning_delta", delta }],
  "item/reasoning/summaryPartAdded": ({ itemId, summaryIndex }) => [
    { type: "agent_reasoning_section_break", item_id: itemId, summary_index: summaryIndex },
  ],
  "item/reasoning/textDelta": ({ delta }) => [{ type: "agent_reasoning_raw_content_delta", delta }],
  "item/commandExecution/outputDelta": ({ itemId, delta }) => [
    {
      type: "exec_command_output_delta",
      call_id: itemId,
      stream: "stdout",
      chunk: Buffer.from(delta).toString("base64"),
    },
  ],
  "item/commandExecution/terminalInteraction": ({ itemId, processId, stdin }) => [
    { type: "terminal_interaction", call_id: itemId, process_id: processId, stdin },
  ],
  "item/fileChange/patchUpdated": ({ itemId, changes }) => [
    { type: "patch_apply_updated", call_id: itemId, changes: storeChanges(changes) },
  ],
  "model/rerouted": ({ fromModel, toModel, reason }) => [
    { type: "model_reroute", from_model: fromModel, to_model: toModel, reason: toSnake(reason) },
  ],
  "mcpServer/startupStatus/updated": ({ name, status, error }) => [
    { type: "mcp_startup_update", server: name, status: withoutNulls({ state: status, error }) },
  ],
};

/** A notification without a legacy event becomes an event named after it, so that none is lost. */
export function toLegacyEvents<M extends NotificationMethod>(
  method: M,
  params: ServerNotifications[M],
  context: LegacyContext,
): readonly LegacyEvent[] {
  const events = counterparts[method];
  return events === undefined ? [ownEvent(method, params)] : events(params, context);
}

function ownEvent(method: string, params: object): LegacyEvent {
  const { threadId: _threadId, ...rest } = params as JsonObject;
  return { type: toSnake(method.replaceAll("/", "_")), ...snakeMembers(rest) };
}

function endOf({ id, status, error }: Turn, lastAgentMessage: string | null): LegacyEvent {
  if (status === "interrupted") return { type: "turn_aborted", turn_id: id, reason: "interrupted" };
  return {
    type: "task_complete",
    turn_id: id,
    last_agent_message: lastAgentMessage,
    ...(error === null ? {} : { error: { message: error.message } }),
  };
}

function toUsage(usage: TokenUsageBreakdown): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_output_tokens: usage.reasoningOutputTokens,
    total_tokens: usage.totalTokens,
  };
}

function toRateLimits({ primary, secondary }: RateLimitSnapshot): JsonObject {
  return { primary: toWindow(primary), secondary: toWindow(secondary) };
}

function toWindow(window: RateLimitWindow | null): JsonObject | null {
  if (window === null) return null;
  return {
    used_percent: window.usedPercent,
    window_minutes: window.windowDurationMins,
    resets_at: window.resetsAt,
  };
}
