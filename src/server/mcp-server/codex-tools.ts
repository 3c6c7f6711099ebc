/** The two tools of the MCP server: their schemas, and parsing of their arguments. */
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
  prompt: text("The first task for the agent."),
  cwd: text("The folder to work in; a relative path starts from the server's working directory."),
  model: text("The model to use instead of the configured one."),
  "approval-policy": choice("When the agent asks before it runs a command.", APPROVAL_POLICIES),
  sandbox: choice("The sandbox of commands.", SANDBOX_MODES),
  config: {
    type: "object",
    description: "Settings that override config.toml, by dotted key.",
    additionalProperties: true,
  },
  "base-instructions": text("Instructions to use instead of the built-in ones."),
  "developer-instructions": text("Instructions that are added as a developer message."),
  "compact-prompt": text("The prompt for the model when a long conversation is summarised."),
};

const replyProperties = {
  threadId: text("The thread to continue, from the result of the first call."),
  conversationId: text("The older name of threadId."),
  prompt: text("The next task for the agent."),
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
    description: "Continue a conversation that the codex tool started.",
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

export type ParsedCall<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

type Arguments = Readonly<Record<string, unknown>>;

const REFUSAL = "Failed to parse configuration for Codex tool";

export function parseCodexCall(given: Arguments, cwd: string): ParsedCall<CodexCall> {
  const fault = findFault(given, codexProperties);
  if (fault !== null) return { ok: false, message: `${REFUSAL}: ${fault}` };
  // `findFault` has checked every member against its property.
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

export function parseReplyCall(given: Arguments): ParsedCall<ReplyCall> {
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
      return `\`${name}\` must be of type ${property.type}`;
    }
    if (typeof value === "string" && property.enum?.includes(value) === false) {
      return `\`${name}\` must be one of ${property.enum.join(", ")}`;
    }
  }
  return null;
}
