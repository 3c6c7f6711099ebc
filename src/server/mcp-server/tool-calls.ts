/** Calls of the two tools. A call runs a turn, emits its events, and returns its last message. */
import type { CallToolResult, RequestId } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import { textMember } from "../../base/json-members.ts";
import type { Logger } from "../../base/logger.ts";
import { createDeferred, type Deferred } from "../../base/tasks.ts";
import type { NotificationMessage } from "../../jsonrpc/message.ts";
import type { ServerNotifications, Turn } from "../../protocol/generated/types.ts";
import { EVENT_PREFIX, type LegacyEvent } from "../legacy/legacy-event.ts";
import type { AppServerClient } from "./app-server-client.ts";
import type { CodexCall, ReplyCall } from "./codex-tools.ts";

/** The MCP request of a call. */
export interface Caller {
  readonly requestId: RequestId;
  readonly signal: AbortSignal;
  /** Absent if the caller did not request progress. */
  readonly progress?: (progress: number, message: string) => void;
}

export interface ToolCalls {
  start(call: CodexCall, caller: Caller): Promise<CallToolResult>;
  reply(call: ReplyCall, caller: Caller): Promise<CallToolResult>;
  /** Receives the notifications of the app-server connection. */
  receive(notification: NotificationMessage): void;
  /** The call that is running in a thread, if any. */
  running(threadId: string): { readonly requestId: RequestId; readonly turnId: string } | null;
}

export interface ToolCallsOptions {
  readonly client: () => Promise<AppServerClient>;
  readonly sendEvent: (method: string, params: object) => void;
  readonly log: Logger;
}

interface Call {
  readonly caller: Caller;
  readonly threadId: string;
  turnId: string;
  progress: number;
  lastMessage: string;
  readonly end: Deferred<Turn>;
}

interface EventParams {
  readonly conversationId?: string;
  readonly id: string;
  readonly msg: LegacyEvent;
}

export function createToolCalls({ client, sendEvent, log }: ToolCallsOptions): ToolCalls {
  /** In the order of the calls; a second call on a thread steers the turn of the first. */
  const calls = new Set<Call>();
  const use = createThreadUse((threadId) => {
    const unsubscribing = client().then((own) => own.request("thread/unsubscribe", { threadId }));
    unsubscribing.catch((error: unknown) =>
      log.debug("could not unsubscribe from a thread", { reason: messageOf(error) }),
    );
  });
  const callOf = (threadId: string) => [...calls].find((call) => call.threadId === threadId) ?? null;

  async function run(threadId: string, prompt: string, caller: Caller): Promise<CallToolResult> {
    const end = createDeferred<Turn>();
    const call: Call = { caller, threadId, turnId: "", progress: 0, lastMessage: "", end };
    calls.add(call);
    const own = await client();
    const interrupt = () => {
      const request = own.request("turn/interrupt", { threadId, turnId: call.turnId });
      request.catch((error: unknown) =>
        log.debug("could not interrupt a turn", { reason: messageOf(error) }),
      );
    };
    try {
      const input = [{ type: "text" as const, text: prompt, text_elements: [] }];
      const { turn } = await own.request("turn/start", { threadId, input });
      call.turnId = turn.id;
      if (caller.signal.aborted) interrupt();
      else caller.signal.addEventListener("abort", interrupt, { once: true });
      return toResult(threadId, await end.promise, call.lastMessage);
    } catch (error) {
      return failure(`Failed to submit user input: ${messageOf(error)}`, threadId);
    } finally {
      caller.signal.removeEventListener("abort", interrupt);
      calls.delete(call);
    }
  }

  function receiveEvent(method: string, params: EventParams): void {
    const { conversationId: threadId, msg } = params;
    const call = threadId === undefined ? null : callOf(threadId);
    if (call === null) return;
    sendEvent(method, { _meta: { requestId: call.caller.requestId, threadId }, ...params });
    const isDelta = msg.type.endsWith("_delta");
    for (const each of calls) {
      if (each.threadId !== threadId) continue;
      if (msg.type === "task_complete") each.lastMessage = textMember(msg, "last_agent_message") ?? "";
      if (!isDelta) each.caller.progress?.(++each.progress, msg.type.replaceAll("_", " "));
    }
  }

  return {
    async start({ prompt, thread: settings }, caller) {
      let threadId: string;
      try {
        const { thread } = await (await client()).request("thread/start", settings);
        threadId = thread.id;
      } catch (error) {
        return failure(`Failed to start Codex session: ${messageOf(error)}`);
      }
      return use(threadId, () => run(threadId, prompt, caller));
    },
    reply: ({ prompt, threadId }, caller) =>
      use(threadId, async (isFollowed) => {
        try {
          const resuming = { threadId, excludeTurns: true };
          if (!isFollowed) await (await client()).request("thread/resume", resuming);
        } catch (error) {
          log.info("a thread could not be resumed", { threadId, reason: messageOf(error) });
          return failure(`Session not found for thread_id: ${threadId}`, threadId);
        }
        return run(threadId, prompt, caller);
      }),
    receive({ method, params }) {
      // The rows of the notifications guarantee these types.
      if (method.startsWith(EVENT_PREFIX)) return receiveEvent(method, params as EventParams);
      if (method !== "turn/completed") return;
      const { turn } = params as ServerNotifications["turn/completed"];
      for (const call of calls) if (call.turnId === turn.id) call.end.resolve(turn);
    },
    running(threadId) {
      const call = callOf(threadId);
      return call === null ? null : { requestId: call.caller.requestId, turnId: call.turnId };
    },
  };
}

/** Unsubscribes from a thread by `leave` when no call uses it any more, so that it can be unloaded. */
function createThreadUse(unsubscribe: (threadId: string) => void) {
  const users = new Map<string, number>();
  return async <T>(threadId: string, work: (isFollowed: boolean) => Promise<T>): Promise<T> => {
    const others = users.get(threadId) ?? 0;
    users.set(threadId, others + 1);
    try {
      return await work(others > 0);
    } finally {
      const remaining = (users.get(threadId) ?? 1) - 1;
      users.set(threadId, remaining);
      if (remaining === 0) {
        users.delete(threadId);
        unsubscribe(threadId);
      }
    }
  };
}

function toResult(threadId: string, { status, error }: Turn, lastMessage: string): CallToolResult {
  if (status === "completed") return answer(lastMessage, threadId);
  return failure(error?.message ?? "The turn was interrupted.", threadId);
}

function answer(text: string, threadId: string): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent: { threadId, content: text } };
}

/** Some clients read only the structured content, so it contains the text as well. */
export function failure(text: string, threadId?: string): CallToolResult {
  return {
    ...(threadId === undefined ? { content: [{ type: "text", text }] } : answer(text, threadId)),
    isError: true,
  };
}
