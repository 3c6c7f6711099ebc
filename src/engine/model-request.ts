import type { ModelRequest } from "../model/model.ts";
import type { ResponseItem } from "../protocol/generated/types.ts";
import type { Tool } from "../tools/tool.ts";
import { BASE_INSTRUCTIONS } from "./context/base-instructions.ts";
import type { ThreadSettings } from "./settings.ts";

/** What the provider is told about the thread and the turn, besides the conversation. */
export interface RequestOrigin {
  readonly threadId: string;
  readonly turnId: string;
  readonly turnStartedAtMs: number;
  readonly threadSource: string | null;
  /** Names the stretch of history that fits into the model at once. */
  readonly contextWindowId: string;
  readonly installationId: string;
  /** `originator` and `user-agent`. */
  readonly identityHeaders: Readonly<Record<string, string>>;
  /** What the client wants the provider to know; what the server itself knows wins. */
  readonly clientMetadata: Readonly<Record<string, string>>;
}

/** What the model is asked: who it is, what it can call, and the conversation so far. */
export function toModelRequest(
  settings: ThreadSettings,
  history: readonly ResponseItem[],
  origin: RequestOrigin,
  tools: readonly Tool[],
): ModelRequest {
  const { threadId, turnId, installationId } = origin;
  const { effort, summary } = settings;
  const windowId = `${threadId}:0`;
  const metadata = JSON.stringify(describeTurn(settings, origin, windowId));
  return {
    model: settings.model,
    input: [toBaseMessage(settings), ...history],
    tools: tools.map(({ spec }) => spec),
    parallelToolCalls: true,
    reasoning: {
      ...(effort === null ? {} : { effort }),
      ...(summary === "none" ? {} : { summary: summary ?? "auto" }),
    },
    text: null,
    serviceTier: settings.serviceTier,
    promptCacheKey: threadId,
    clientMetadata: {
      thread_id: threadId,
      turn_id: turnId,
      session_id: threadId,
      "x-codex-installation-id": installationId,
      "x-codex-turn-metadata": metadata,
    },
    headers: {
      ...origin.identityHeaders,
      "session-id": threadId,
      "thread-id": threadId,
      "x-client-request-id": threadId,
      "x-codex-window-id": windowId,
      "x-codex-turn-metadata": metadata,
    },
  };
}

function toBaseMessage({ baseInstructions }: ThreadSettings): ResponseItem {
  const text = baseInstructions ?? BASE_INSTRUCTIONS;
  return { type: "message", role: "developer", content: [{ type: "input_text", text }] };
}

const SANDBOX_MODES = {
  readOnly: "read-only",
  workspaceWrite: "workspace-write",
  dangerFullAccess: "danger-full-access",
  externalSandbox: "external-sandbox",
} as const;

function describeTurn(
  settings: ThreadSettings,
  origin: RequestOrigin,
  windowId: string,
): Record<string, unknown> {
  const { threadId, turnId, threadSource } = origin;
  return {
    ...origin.clientMetadata,
    agent_name: "/root",
    analytics_enabled: false,
    auto_review_enabled: settings.approvalsReviewer !== "user",
    context_window_id: origin.contextWindowId,
    history_initialization: "new",
    installation_id: origin.installationId,
    model: settings.model,
    node_repl_auto_review_required: false,
    node_repl_disabled: false,
    request_kind: "turn",
    root_turn_id: turnId,
    sandbox: "none",
    sandbox_mode: SANDBOX_MODES[settings.sandbox.type],
    session_id: threadId,
    thread_id: threadId,
    ...(threadSource === null ? {} : { thread_source: threadSource }),
    turn_id: turnId,
    turn_started_at_unix_ms: origin.turnStartedAtMs,
    window_id: windowId,
    window_number: 0,
  };
}
