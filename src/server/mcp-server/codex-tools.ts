/** The two tools that an MCP client finds: how they are offered, and how their arguments are read. */
import { resolve } from "node:path";
import type { Tool } from "@modelcontextprotocol/server";
import type { AskForApproval, SandboxMode, ThreadStartParams } from "../../protocol/generated/types.ts";

export const CODEX_TOOL = "codex";
export const REPLY_TOOL = "codex-reply";

const APPROVAL_POLICIES = ["untrusted", "on-request", "never"] as const satisfies readonly AskForApproval[];
const SANDBOX_MODES = [
  "read-only",
  "workspace-write",
  "danger-full-access",
] as const satisfies readonly SandboxMode[];

const outputSchema = {
  type: "object" as const,
  properties: { threadId: { type: "string" }, content: { type: "string" } },
  required: ["threadId", "content"],
};

const text = (description: string) => ({ type: "string", description });
const choice = (description: string, values: readonly string[]) => ({
  type: "string",
  description,
  enum: [...values],
});

const codexProperties = {
  prompt: text("What the agent is to do first."),
  cwd: text("The folder to work in; a relative one is taken from where the server runs."),
  model: text("The model to ask instead of the configured one."),
  "approval-policy": choice("When the agent asks before it runs a command.", APPROVAL_POLICIES),
  sandbox: choice("What commands may touch.", SANDBOX_MODES),
  config: {
    type: "object",
    description: "Settings that override config.toml, by dotted key.",
    additionalProperties: true,
  },
  "base-instructions": text("Instructions to use instead of the built-in ones."),
  "developer-instructions": text("Instructions that are added as a message of the developer."),
  "compact-prompt": text("What the model is told when a long conversation is summarised."),
};

const replyProperties = {
  threadId: text("The thread to go on with, as the first call answered it."),
  conversationId: text("The older name of threadId."),
  prompt: text("What the agent is to do next."),
};

export const tools: readonly Tool[] = [
  {
    name: CODEX_TOOL,
    title: "Codex",
    description: "Start a conversation with a coding agent and wait for its answer.",
    inputSchema: {
      type: "object",
      properties: codexProperties,
      required: ["prompt"],
      additionalProperties: false,
    },
    outputSchema,
  },
  {
    name: REPLY_TOOL,
    title: "Codex Reply",
    description: "Go on with a conversation that a call of the codex tool began.",
    inputSchema: { type: "object", properties: replyProperties, required: ["prompt"] },
    outputSchema,
  },
];

export interface CodexCall {
  readonly prompt: string;
  readonly thread: ThreadStartParams;
}

export interface ReplyCall {
  readonly prompt: string;
  readonly threadId: string;
}

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

type Arguments = Readonly<Record<string, unknown>>;

const REFUSAL = "Failed to parse configuration for Codex tool";

export function parseCodexCall(given: Arguments, cwd: string): Parsed<CodexCall> {
  const fault = findFault(given, codexProperties);
  if (fault !== null) return { ok: false, message: `${REFUSAL}: ${fault}` };
  // Every member was just compared with its property above.
  const call = given as {
    prompt: string;
    cwd?: string;
    model?: string;
    "approval-policy"?: AskForApproval;
    sandbox?: SandboxMode;
    config?: Record<string, unknown>;
    "base-instructions"?: string;
    "developer-instructions"?: string;
    "compact-prompt"?: string;
  };
  const compactPrompt = call["compact-prompt"];
  return {
    ok: true,
    value: {
      prompt: call.prompt,
      thread: {
        cwd: resolve(cwd, call.cwd ?? "."),
        model: call.model ?? null,
        approvalPolicy: call["approval-policy"] ?? null,
        sandbox: call.sandbox ?? null,
        baseInstructions: call["base-instructions"] ?? null,
        developerInstructions: call["developer-instructions"] ?? null,
        config: {
          ...call.config,
          ...(compactPrompt === undefined ? {} : { compact_prompt: compactPrompt }),
        },
      },
    },
  };
}

export function parseReplyCall(given: Arguments): Parsed<ReplyCall> {
  const { prompt, threadId, conversationId } = given;
  const id = threadId ?? conversationId;
  if (typeof prompt !== "string") return { ok: false, message: `${REFUSAL}: missing field \`prompt\`` };
  if (typeof id === "string") return { ok: true, value: { prompt, threadId: id } };
  return {
    ok: false,
    message: "Failed to parse thread_id: either threadId or conversationId must be provided",
  };
}

interface Property {
  readonly type: string;
  readonly enum?: readonly string[];
}

function findFault(given: Arguments, properties: Readonly<Record<string, Property>>): string | null {
  if (given["prompt"] === undefined) return "missing field `prompt`";
  for (const [name, value] of Object.entries(given)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) return `unknown field \`${name}\``;
    if (typeof value !== property.type || value === null || Array.isArray(value)) {
      return `\`${name}\` is no ${property.type}`;
    }
    if (typeof value === "string" && property.enum?.includes(value) === false) {
      return `\`${name}\` is none of ${property.enum.join(", ")}`;
    }
  }
  return null;
}
