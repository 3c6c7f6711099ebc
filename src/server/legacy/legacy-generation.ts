/**
 * The encoder for clients of the first protocol generation. It remembers facts that legacy messages contain
 * and current ones do not: the changes of a patch that awaits approval, and the last message of the agent.
 */
import { encodeNotification, encodeRequest } from "../../jsonrpc/message.ts";
import type { Checker } from "../../protocol/check.ts";
import { notificationRows, serverRequestRows } from "../../protocol/generated/table.ts";
import type {
  ExecCommandApprovalResponse,
  FileUpdateChange,
  ServerNotifications,
  ServerRequests,
} from "../../protocol/generated/types.ts";
import { fromLegacyDecision, toLegacyApproval } from "./legacy-approvals.ts";
import { EVENT_PREFIX, type LegacyEvent, type NotificationMethod } from "./legacy-event.ts";
import { toLegacyEvents } from "./to-legacy-events.ts";

/** An encoded notification. */
export interface EncodedNotice {
  readonly method: string;
  readonly text: string;
}

export interface EncodedApproval {
  readonly method: keyof ServerRequests;
  readonly text: string;
  /** Sent before the request, to clients that are subscribed when it is opened. */
  readonly event: EncodedNotice;
}

export interface LegacyGeneration {
  /** Must be called with every notification before it is sent, even if no legacy client receives it. */
  observe<M extends NotificationMethod>(method: M, params: ServerNotifications[M]): void;
  /** The events for a notification; none if it concerns no thread. `from` is the thread that has sent it. */
  events<M extends NotificationMethod>(
    method: M,
    params: ServerNotifications[M],
    from?: string | null,
  ): readonly EncodedNotice[];
  /** Null if the first generation has no such request. */
  request<M extends keyof ServerRequests>(
    id: number,
    method: M,
    params: ServerRequests[M]["params"],
  ): EncodedApproval | null;
}

interface Memory {
  readonly changes: Map<string, readonly FileUpdateChange[]>;
  lastAgentMessage: string | null;
}

export function createLegacyGeneration(): LegacyGeneration {
  const memories = new Map<string, Memory>();

  function memoryOf(threadId: string): Memory {
    const memory = memories.get(threadId) ?? { changes: new Map(), lastAgentMessage: null };
    memories.set(threadId, memory);
    return memory;
  }

  const listeners: { readonly [M in NotificationMethod]?: (params: ServerNotifications[M]) => void } = {
    "turn/started": ({ threadId }) => void memories.delete(threadId),
    "item/started"({ threadId, item }) {
      if (item.type === "fileChange") memoryOf(threadId).changes.set(item.id, item.changes);
    },
    "item/completed"({ threadId, item }) {
      if (item.type === "fileChange") memories.get(threadId)?.changes.delete(item.id);
      else if (item.type === "agentMessage") memoryOf(threadId).lastAgentMessage = item.text;
    },
    "thread/status/changed"({ threadId, status }) {
      if (status.type === "notLoaded") memories.delete(threadId);
    },
  };

  return {
    observe: (method, params) => listeners[method]?.(params),
    events(method, params, from = null) {
      const { threadId: named, turnId } = scopeOf(params);
      const isOfThread = notificationRows[method].audience === "thread";
      if (named === null && !isOfThread) return [];
      const threadId = named ?? (isOfThread ? from : null);
      const lastAgentMessage = (threadId === null ? undefined : memories.get(threadId))?.lastAgentMessage;
      return toLegacyEvents(method, params, { lastAgentMessage: lastAgentMessage ?? null }).map((event) =>
        encodeEvent(event, threadId, turnId),
      );
    },
    request(id, method, params) {
      const approval = toLegacyApproval(
        method,
        params,
        (threadId, itemId) => memories.get(threadId)?.changes.get(itemId) ?? [],
      );
      if (approval === null) return null;
      return {
        method: approval.method,
        text: encodeRequest(id, approval.method, approval.params),
        event: encodeEvent(approval.event, approval.threadId, approval.turnId),
      };
    },
  };
}

/** Parses an answer in the legacy form; null if it is invalid, which counts as a denial. */
export function readLegacyAnswer<M extends keyof ServerRequests>(
  asked: { readonly method: M; readonly legacyMethod: keyof ServerRequests },
  result: unknown,
  checker: Checker,
): ServerRequests[M]["result"] | null {
  if (!checker.check(serverRequestRows[asked.legacyMethod].result, result).ok) return null;
  // Both legacy requests have the same result type, and it has just been checked.
  const decision = fromLegacyDecision(asked.method, (result as ExecCommandApprovalResponse).decision);
  return decision === null ? null : { decision };
}

function encodeEvent(msg: LegacyEvent, threadId: string | null, turnId: string): EncodedNotice {
  const method = `${EVENT_PREFIX}${msg.type}`;
  const conversation = threadId === null ? {} : { conversationId: threadId };
  return { method, text: encodeNotification(method, { ...conversation, id: turnId, msg }) };
}

interface Scoped {
  readonly threadId?: string | null;
  readonly turnId?: string | null;
  readonly thread?: { readonly id: string };
  readonly turn?: { readonly id: string };
}

/** The thread and turn of a notification; the id of an event outside of a turn is empty. */
function scopeOf(params: object): { readonly threadId: string | null; readonly turnId: string } {
  // Members of these names have these types in every notification.
  const { threadId, turnId, thread, turn } = params as Scoped;
  return { threadId: threadId ?? thread?.id ?? null, turnId: turnId ?? turn?.id ?? "" };
}
