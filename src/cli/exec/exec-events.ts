/** The events of `heddle exec --json`: notifications of the server, in the format of `codex exec`. */
import type { ThreadItem, TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import { type ExecItem, type ExecItemBody, type TodoItem, toItemBody } from "./exec-item.ts";
import type { ExecOutput } from "./follow-turn.ts";
import { describeError, type Notice, withDetails } from "./notice.ts";

export type ExecEvent =
  | { readonly type: "thread.started"; readonly thread_id: string }
  | { readonly type: "turn.started" }
  | { readonly type: "item.started" | "item.updated" | "item.completed"; readonly item: ExecItem }
  | { readonly type: "turn.completed"; readonly usage: Usage }
  | { readonly type: "turn.failed"; readonly error: { readonly message: string } }
  | { readonly type: "error"; readonly message: string };

export interface Usage {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number;
}

/** Converts notices to events; numbers the items and tracks which have started. */
export function createExecEvents(): (notice: Notice) => readonly ExecEvent[] {
  /** Event ids of started items, by item id of the server. */
  const startedIds = new Map<string, string>();
  let count = 0;
  let plan: { readonly id: string; readonly items: readonly TodoItem[] } | null = null;
  let usage: TokenUsageBreakdown | null = null;
  let lastError: string | null = null;

  const nextId = () => `item_${count++}`;
  const completed = (body: ExecItemBody, id = nextId()): ExecEvent => ({
    type: "item.completed",
    item: { id, ...body },
  });
  const problem = (message: string): ExecEvent => completed({ type: "error", message });

  function start(item: ThreadItem): readonly ExecEvent[] {
    // For these only the complete text is emitted.
    if (item.type === "agentMessage" || item.type === "reasoning") return [];
    const body = toItemBody(item);
    if (body === null) return [];
    const id = startedIds.get(item.id) ?? nextId();
    startedIds.set(item.id, id);
    return [{ type: "item.started", item: { id, ...body } }];
  }

  function complete(item: ThreadItem): readonly ExecEvent[] {
    const body = toItemBody(item);
    if (body === null) return [];
    const id = startedIds.get(item.id);
    startedIds.delete(item.id);
    return [completed(body, id)];
  }

  function updatePlan(items: readonly TodoItem[]): ExecEvent {
    const type = plan === null ? "item.started" : "item.updated";
    plan = { id: plan?.id ?? nextId(), items };
    return { type, item: { id: plan.id, type: "todo_list", items } };
  }

  function end({ turn }: Extract<Notice, { method: "turn/completed" }>["params"]): readonly ExecEvent[] {
    const todo = plan === null ? [] : [completed({ type: "todo_list", items: plan.items }, plan.id)];
    plan = null;
    const unfinished = turn.items.filter(({ id }) => startedIds.has(id)).flatMap(complete);
    const closing = [...todo, ...unfinished];
    if (turn.status === "completed") return [...closing, { type: "turn.completed", usage: toUsage(usage) }];
    if (turn.status !== "failed") return closing;
    const message = turn.error === null ? (lastError ?? "turn failed") : describeError(turn.error);
    return [...closing, { type: "turn.failed", error: { message } }];
  }

  return ({ method, params }) => {
    switch (method) {
      case "configWarning":
      case "deprecationNotice":
        return [problem(withDetails(params.summary, params.details))];
      case "warning":
        return [problem(params.message)];
      case "model/rerouted":
        return [problem(`model rerouted: ${params.fromModel} -> ${params.toModel} (${params.reason})`)];
      case "error":
        lastError = describeError(params.error);
        return [{ type: "error", message: lastError }];
      case "turn/started":
        return [{ type: "turn.started" }];
      case "item/started":
        return start(params.item);
      case "item/completed":
        return complete(params.item);
      case "turn/plan/updated":
        return [
          updatePlan(
            params.plan.map(({ step, status }) => ({ text: step, completed: status === "completed" })),
          ),
        ];
      case "thread/tokenUsage/updated":
        usage = params.tokenUsage.total;
        return [];
      case "turn/completed":
        return end(params);
      default:
        return [];
    }
  };
}

function toUsage(usage: TokenUsageBreakdown | null): Usage {
  return {
    input_tokens: usage?.inputTokens ?? 0,
    cached_input_tokens: usage?.cachedInputTokens ?? 0,
    cache_write_input_tokens: usage?.cacheWriteInputTokens ?? 0,
    output_tokens: usage?.outputTokens ?? 0,
    reasoning_output_tokens: usage?.reasoningOutputTokens ?? 0,
  };
}

/** Each event is written as a whole line in one call, because some readers do not buffer partial lines. */
export function createJsonOutput(write: (line: string) => void): ExecOutput {
  const toEvents = createExecEvents();
  const print = (event: ExecEvent) => write(`${JSON.stringify(event)}\n`);
  return {
    begin: ({ threadId }) => print({ type: "thread.started", thread_id: threadId }),
    onNotice(notice) {
      for (const event of toEvents(notice)) print(event);
    },
    end: () => {},
  };
}
