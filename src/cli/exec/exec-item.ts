/** Thread items in the format of `heddle exec --json`. */
import type { ThreadItem, WebSearchAction } from "../../protocol/generated/types.ts";

/** An item without its id, with the field names of `codex exec`. */
export type ExecItemBody =
  | { readonly type: "agent_message" | "reasoning"; readonly text: string }
  | {
      readonly type: "command_execution";
      readonly command: string;
      readonly aggregated_output: string;
      readonly exit_code: number | null;
      readonly status: string;
    }
  | {
      readonly type: "file_change";
      readonly changes: readonly { readonly path: string; readonly kind: "add" | "delete" | "update" }[];
      readonly status: string;
    }
  | {
      readonly type: "mcp_tool_call";
      readonly server: string;
      readonly tool: string;
      readonly arguments: unknown;
      readonly result: object | null;
      readonly error: { readonly message: string } | null;
      readonly status: string;
    }
  | {
      readonly type: "collab_tool_call";
      readonly tool: string;
      readonly sender_thread_id: string;
      readonly receiver_thread_ids: readonly string[];
      readonly prompt: string | null;
      readonly agents_states: Readonly<
        Record<string, { readonly status: string; readonly message: string | null }>
      >;
      readonly status: string;
    }
  | { readonly type: "web_search"; readonly query: string; readonly action: object }
  | { readonly type: "todo_list"; readonly items: readonly TodoItem[] }
  | { readonly type: "error"; readonly message: string };

export interface TodoItem {
  readonly text: string;
  readonly completed: boolean;
}

export type ExecItem = { readonly id: string } & ExecItemBody;

/** Null for item types that the format omits. */
export function toItemBody(item: ThreadItem): ExecItemBody | null {
  switch (item.type) {
    case "agentMessage":
      return { type: "agent_message", text: item.text };
    case "reasoning": {
      const text = item.summary.join("\n");
      return text.trim() === "" ? null : { type: "reasoning", text };
    }
    case "commandExecution":
      return {
        type: "command_execution",
        command: item.command,
        aggregated_output: item.aggregatedOutput ?? "",
        exit_code: item.exitCode,
        status: toSnake(item.status),
      };
    case "fileChange":
      return {
        type: "file_change",
        changes: item.changes.map(({ path, kind }) => ({ path, kind: kind.type })),
        // Consumers of this format know only completed and failed patches.
        status: item.status === "declined" ? "failed" : toSnake(item.status),
      };
    case "mcpToolCall":
      return toToolCall(item);
    case "collabAgentToolCall":
      return toCollabCall(item);
    case "webSearch":
      return { type: "web_search", query: item.query, action: toAction(item.action) };
    default:
      return null;
  }
}

function toToolCall({
  server,
  tool,
  arguments: args,
  result,
  error,
  status,
}: Extract<ThreadItem, { type: "mcpToolCall" }>): ExecItemBody {
  return {
    type: "mcp_tool_call",
    server,
    tool,
    arguments: args,
    result:
      result === null
        ? null
        : {
            content: result.content,
            ...(result._meta != null && { _meta: result._meta }),
            structured_content: result.structuredContent ?? null,
          },
    error: error === null ? null : { message: error.message },
    status: toSnake(status),
  };
}

function toCollabCall(item: Extract<ThreadItem, { type: "collabAgentToolCall" }>): ExecItemBody {
  const states = Object.entries(item.agentsStates).map(
    ([id, { status, message }]) => [id, { status: toSnake(status), message }] as const,
  );
  return {
    type: "collab_tool_call",
    tool: item.tool === "resumeAgent" ? "wait" : toSnake(item.tool),
    sender_thread_id: item.senderThreadId,
    receiver_thread_ids: item.receiverThreadIds,
    prompt: item.prompt,
    agents_states: Object.fromEntries(states),
    status: toSnake(item.status),
  };
}

/** Omits null members. */
function toAction(action: WebSearchAction | null): object {
  if (action === null) return { type: "other" };
  const present = Object.entries(action).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(present), type: toSnake(action.type) };
}

function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
