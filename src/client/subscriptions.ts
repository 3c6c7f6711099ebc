/**
 * The threads that a client follows, so that it can go on to follow them over another transport. A server that came
 * back may refuse a thread for a while, until what ran before it counts as gone: such a thread is asked for again, and
 * requests that need it wait.
 */
import { createDeferred, type Deferred } from "../base/tasks.ts";
import type { RpcError } from "../jsonrpc/rpc-error.ts";
import type { Thread } from "../protocol/generated/types.ts";
import { pause } from "./abortable.ts";
import type { Link } from "./link.ts";
import { isRepeatable } from "./repeatable.ts";

const FOLLOWING = new Set(["thread/start", "thread/resume", "thread/fork"]);
export const LEAVING = new Set(["thread/unsubscribe", "thread/archive", "thread/delete"]);
export const GONE = new Set(["thread/closed", "thread/archived", "thread/deleted"]);

/** How following a thread over a new transport has ended. */
export type Following =
  | { readonly kind: "followed"; readonly threadId: string; readonly thread: Thread }
  | { readonly kind: "refused"; readonly threadId: string; readonly reason: string };

export interface SubscriptionOptions {
  /** The first pause; each is twice as long as the one before, up to five seconds. */
  readonly firstDelayMs?: number;
  /** How long to ask for a thread that is refused for now. */
  readonly forMs?: number;
  /** Told of each thread that was not there at once. */
  readonly onSettled: (following: Following) => void;
  /** Told of each thread that is not followed any more because somebody wanted it so. */
  readonly onForgotten: (following: Following) => void;
}

export interface Subscriptions {
  noteResponse(method: string, params: unknown, result: unknown): void;
  noteNotification(method: string, params: unknown): void;
  /** Asks for every thread over a new link. Those that are missing in the answer are asked for again. */
  renew(link: Link): Promise<readonly Following[]>;
  /** Null where a request need not wait; a refusal where it cannot be carried out. */
  beforeRequest(method: string, params: unknown): Promise<Following> | null;
  /** There is no connection any more. */
  close(): void;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5000;
/** A lease of a server that has died ends by itself after half of this. */
const FOR_MS = 60_000;

interface Waiting {
  readonly link: Link;
  readonly settled: Deferred<Following>;
}

export function createSubscriptions(options: SubscriptionOptions): Subscriptions {
  const { firstDelayMs = FIRST_DELAY_MS, forMs = FOR_MS, onSettled } = options;
  const threadIds = new Set<string>();
  const waiting = new Map<string, Waiting>();
  const closing = new AbortController();

  function settle(following: Following): Following {
    const { threadId } = following;
    if (following.kind === "refused") threadIds.delete(threadId);
    waiting.get(threadId)?.settled.resolve(following);
    waiting.delete(threadId);
    return following;
  }

  function forget(threadId: string, reason: string): void {
    if (threadIds.delete(threadId)) options.onForgotten(settle({ kind: "refused", threadId, reason }));
  }

  /** Null where it may be followed later, perhaps over another link. */
  async function follow(link: Link, threadId: string): Promise<Following | null> {
    const outcome = await link.ask("thread/resume", { threadId, excludeTurns: true });
    if (outcome.kind === "lost") return null;
    if (outcome.kind === "answered")
      return settle({ kind: "followed", threadId, thread: (outcome.result as { thread: Thread }).thread });
    if (isPassing(outcome.error)) return null;
    return settle({ kind: "refused", threadId, reason: outcome.error.message });
  }

  async function followLater(link: Link, threadId: string): Promise<void> {
    const deadline = performance.now() + forMs;
    const isAsked = (): boolean => waiting.get(threadId)?.link === link;
    for (let delayMs = firstDelayMs; isAsked(); delayMs = Math.min(MAX_DELAY_MS, 2 * delayMs)) {
      await pause(delayMs, closing.signal);
      // Over another link it is asked for anew.
      if (!isAsked()) return;
      const following = await follow(link, threadId);
      if (following !== null) return onSettled(following);
      if (performance.now() >= deadline && isAsked()) {
        const reason = "the server did not let it be resumed in time";
        return onSettled(settle({ kind: "refused", threadId, reason }));
      }
    }
  }

  return {
    noteResponse(method, params, result) {
      if (FOLLOWING.has(method)) threadIds.add((result as { thread: { id: string } }).thread.id);
      // Whoever starts a turn is told of it.
      if (method === "turn/start") threadIds.add((params as { threadId: string }).threadId);
      if (LEAVING.has(method)) forget((params as { threadId: string }).threadId, "it was left");
    },
    noteNotification(method, params) {
      if (GONE.has(method)) forget((params as { threadId: string }).threadId, method);
    },
    async renew(link) {
      const settled: Following[] = [];
      for (const threadId of threadIds) {
        // Whoever waits already goes on to wait.
        waiting.set(threadId, { link, settled: waiting.get(threadId)?.settled ?? createDeferred() });
        const following = await follow(link, threadId);
        if (following !== null) settled.push(following);
        else void followLater(link, threadId);
      }
      return settled;
    },
    beforeRequest(method, params) {
      const { threadId } = (params ?? {}) as { readonly threadId?: unknown };
      if (waiting.size === 0 || typeof threadId !== "string") return null;
      const needsThread = !FOLLOWING.has(method) && !LEAVING.has(method) && !isRepeatable(method, params);
      return needsThread ? (waiting.get(threadId)?.settled.promise ?? null) : null;
    },
    close() {
      closing.abort();
      for (const threadId of waiting.keys())
        settle({ kind: "refused", threadId, reason: "the connection was closed" });
    },
  };
}

export function notFollowed({ threadId, reason }: Following & { readonly kind: "refused" }): string {
  return `thread ${threadId} is not followed any more: ${reason}`;
}

const INTERNAL_ERROR = -32603;
const ACTIVE_WRITER = "already has an active writer";

/** What may be otherwise in a moment: another server's lease ends, a fault passes. */
function isPassing({ code, message }: RpcError): boolean {
  return code === INTERNAL_ERROR || message.includes(ACTIVE_WRITER);
}
