import type { ModelInfo } from "../../model/catalog/model-info.ts";
import type { ModelRequest, ReasoningRequest, TextRequest } from "../../model/model.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { Tool } from "../../tools/tool.ts";
import { BASE_INSTRUCTIONS } from "../context/instructions.ts";
import { createPromptInput, type PromptInput } from "../items/prompt-input.ts";
import { textMessage } from "../items/response-items.ts";
import type { ThreadSettings } from "../state/settings.ts";
import type { SpawnedAgent } from "../state/spawned-agent.ts";
import type { ThreadCore } from "./thread-core.ts";

/** Identity of the thread and the turn, sent to the provider beside the conversation. */
export interface RequestOrigin {
  readonly threadId: string;
  readonly turnId: string;
  readonly rootTurnId: string;
  readonly parentTurnId: string | null;
  /** Null for a thread that a user started. */
  readonly agent: SpawnedAgent | null;
  readonly turnStartedAtMs: number;
  readonly threadSource: string | null;
  /** How the thread was loaded, as the provider's wire names it. */
  readonly beginning: "new" | "cold_resume" | "warm_fork";
  readonly forkedFromId: string | null;
  /** The id of the current context window; each compaction starts a new one. */
  readonly contextWindowId: string;
  /** The number of compactions so far. */
  readonly windowNumber: number;
  readonly installationId: string;
  /** `originator` and `user-agent`. */
  readonly identityHeaders: Readonly<Record<string, string>>;
  /** Metadata that the client passes to the provider; values of the server take precedence. */
  readonly clientMetadata: Readonly<Record<string, string>>;
  /** Opaque state from the turn's last response, to be sent back. */
  readonly providerState: string | null;
}

/** The parts of a request besides the conversation. */
export interface ModelRequestOptions {
  readonly info: ModelInfo;
  readonly tools: readonly Tool[];
  readonly hostedTools?: readonly unknown[];
  readonly kind: "turn" | "compaction" | "review";
  readonly outputSchema?: unknown;
  /** Holds for this turn only. */
  readonly serviceTier?: string | null;
}

/** Parts that the requests of a thread share: the same objects in each, so that their JSON can be cached. */
export interface ReusedParts {
  readonly promptInput: PromptInput;
  /** Empty base instructions mean that none are sent. */
  baseMessage(settings: ThreadSettings): ResponseItem[];
}

export function createReusedParts(): ReusedParts {
  let base: { readonly text: string; readonly message: ResponseItem[] } = { text: "", message: [] };
  return {
    promptInput: createPromptInput(),
    baseMessage({ baseInstructions }) {
      const text = baseInstructions ?? BASE_INSTRUCTIONS;
      if (text !== base.text) base = { text, message: text === "" ? [] : [textMessage("developer", text)] };
      return base.message;
    },
  };
}

/** Builds a model request from the instructions, the tools and the history. */
export function toModelRequest(
  { settings, reusedParts: parts }: Pick<ThreadCore, "settings" | "reusedParts">,
  history: readonly ResponseItem[],
  origin: RequestOrigin,
  { info, tools, hostedTools = [], kind, outputSchema, serviceTier }: ModelRequestOptions,
): ModelRequest {
  const { threadId, turnId, installationId, agent } = origin;
  const sessionId = agent?.sessionId ?? threadId;
  const metadata = JSON.stringify(describeTurn(settings, origin, kind));
  return {
    model: settings.model,
    input: parts.baseMessage(settings).concat(parts.promptInput.of(history, info.inputModalities)),
    conversation: threadId,
    tools: [...toToolEntries(tools), ...hostedTools],
    parallelToolCalls: info.parallelToolCalls,
    reasoning: toReasoning(settings, info),
    text: toText(info, outputSchema),
    serviceTier: toServiceTier(serviceTier ?? settings.serviceTier),
    promptCacheKey: sessionId,
    clientMetadata: {
      thread_id: threadId,
      turn_id: turnId,
      root_turn_id: origin.rootTurnId,
      session_id: sessionId,
      "x-codex-installation-id": installationId,
      "x-codex-window-id": windowIdOf(origin),
      "x-codex-turn-metadata": metadata,
    },
    headers: {
      ...origin.identityHeaders,
      "session-id": sessionId,
      "thread-id": threadId,
      "x-client-request-id": threadId,
      ...(agent !== null && {
        "x-codex-parent-thread-id": agent.parentThreadId,
        "x-openai-subagent": "collab_spawn",
      }),
      "x-codex-window-id": windowIdOf(origin),
      "x-codex-turn-metadata": metadata,
      ...(origin.providerState === null ? {} : { "x-codex-turn-state": origin.providerState }),
    },
  };
}

/** Groups the tools of a namespace in one entry, at the position of the first. */
function toToolEntries(tools: readonly Tool[]): unknown[] {
  const entries: unknown[] = [];
  const namespaces = new Map<string, unknown[]>();
  for (const { namespace, spec, isOffered } of tools) {
    if (isOffered === false) continue;
    if (namespace === undefined) {
      entries.push(spec);
      continue;
    }
    let members = namespaces.get(namespace.name);
    if (members === undefined) {
      members = [];
      namespaces.set(namespace.name, members);
      entries.push({ type: "namespace", ...namespace, tools: members });
    }
    members.push(spec);
  }
  return entries;
}

function toReasoning({ effort, summary }: ThreadSettings, info: ModelInfo): ReasoningRequest {
  const chosenEffort = effort ?? info.defaultEffort;
  const chosenSummary = summary ?? info.defaultSummary;
  return {
    ...(chosenEffort === null ? {} : { effort: chosenEffort }),
    ...(chosenSummary === "none" ? {} : { summary: chosenSummary }),
  };
}

/** Clients clear a tier with `default`, which is not sent to providers. */
function toServiceTier(tier: string | null): string | null {
  return tier === "default" ? null : tier;
}

function toText({ verbosity }: ModelInfo, schema: unknown): TextRequest | null {
  const format = toOutputFormat(schema);
  if (verbosity === null && format === null) return null;
  return { ...(verbosity === null ? {} : { verbosity }), ...(format === null ? {} : { format }) };
}

/** The wire id of the context window; each compaction begins a new one. */
function windowIdOf({ threadId, windowNumber }: RequestOrigin): string {
  return `${threadId}:${windowNumber}`;
}

const SANDBOX_MODES = {
  readOnly: "read-only",
  workspaceWrite: "workspace-write",
  dangerFullAccess: "danger-full-access",
  externalSandbox: "external-sandbox",
} as const;

/** The sandbox mechanism, as the provider's wire names it. */
function sandboxName({ sandbox }: ThreadSettings): string {
  if (sandbox.type === "dangerFullAccess" || sandbox.type === "externalSandbox") return "none";
  return process.platform === "darwin" ? "seatbelt" : "seccomp";
}

/** The agent name of a thread that was not spawned. */
const ROOT_AGENT = "/root";

function describeTurn(
  settings: ThreadSettings,
  origin: RequestOrigin,
  kind: ModelRequestOptions["kind"],
): Record<string, unknown> {
  const { threadId, turnId, threadSource, agent, parentTurnId } = origin;
  return {
    ...origin.clientMetadata,
    agent_name: agent?.path ?? ROOT_AGENT,
    analytics_enabled: false,
    auto_review_enabled: settings.approvalsReviewer !== "user",
    context_window_id: origin.contextWindowId,
    history_initialization: origin.beginning,
    ...(origin.forkedFromId === null ? {} : { forked_from_thread_id: origin.forkedFromId }),
    installation_id: origin.installationId,
    model: settings.model,
    node_repl_auto_review_required: false,
    node_repl_disabled: false,
    ...(agent !== null && { parent_thread_id: agent.parentThreadId, subagent_kind: "thread_spawn" }),
    ...(parentTurnId !== null && { parent_turn_id: parentTurnId }),
    request_kind: kind,
    root_turn_id: origin.rootTurnId,
    sandbox: sandboxName(settings),
    sandbox_mode: SANDBOX_MODES[settings.sandbox.type],
    session_id: agent?.sessionId ?? threadId,
    thread_id: threadId,
    ...(threadSource === null ? {} : { thread_source: threadSource }),
    turn_id: turnId,
    turn_started_at_unix_ms: origin.turnStartedAtMs,
    window_id: windowIdOf(origin),
    window_number: origin.windowNumber,
  };
}

/** The output format for a JSON schema; null without one. */
export function toOutputFormat(schema: unknown): NonNullable<TextRequest["format"]> | null {
  if (schema === undefined || schema === null) return null;
  return { type: "json_schema", strict: true, schema, name: "codex_output_schema" };
}
