/**
 * The subscribed threads of a client, for resubscription over another transport. A restarted server may
 * refuse a thread until the lease of the old process expires: such a thread is retried, and requests that
 * need it wait.
 */
import { createDeferred, type Deferred } from "../base/tasks.ts";
import type { RpcError } from "../jsonrpc/rpc-error.ts";
import type { Thread } from "../protocol/generated/types.ts";
import { abortablePause } from "./abortable.ts";
import type { Link } from "./link.ts";
import { isRepeatable } from "./repeatable.ts";

const FOLLOWING = new Set(["thread/start", "thread/resume", "thread/fork"]);
export const UNSUBSCRIBING = new Set(["thread/unsubscribe", "thread/archive", "thread/delete"]);
export const THREAD_ENDED = new Set(["thread/closed", "thread/archived", "thread/deleted"]);

/** The outcome of a resubscription. */
export type Following =
  | { readonly kind: "followed"; readonly threadId: string; readonly thread: Thread }
  | { readonly kind: "refused"; readonly threadId: string; readonly reason: string };

export interface SubscriptionOptions {
  /** The first delay; each is twice as long as the one before, up to five seconds. */
  readonly firstDelayMs?: number;
  /** The position from which to continue a thread; null for none. */
  readonly positionOf?: (threadId: string) => string | null;
  /** How long to retry a thread that is refused temporarily. */
  readonly forMs?: number;
  /** Called for each thread that was not available immediately. */
  readonly onResubscribed: (following: Following) => void;
  /** Called for each thread that was unsubscribed, closed, archived or deleted. */
  readonly onUnsubscribed: (following: Following) => void;
}

export interface FollowedThreads {
  noteResponse(method: string, params: unknown, result: unknown): void;
  noteNotification(method: string, params: unknown): void;
  /** Resubscribes every thread over a new link. Threads missing in the result are retried. */
  renew(link: Link): Promise<readonly Following[]>;
  /** Null where a request need not wait; a refusal where it cannot be executed. */
  beforeRequest(method: string, params: unknown): Promise<Following> | null;
  /** The connection has ended permanently. */
  close(): void;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5000;
/** The lease of a dead server expires after half of this time. */
const FOR_MS = 60_000;

interface Waiting {
  readonly link: Link;
  readonly settled: Deferred<Following>;
}

export function createFollowedThreads(options: SubscriptionOptions): FollowedThreads {
  const { firstDelayMs = FIRST_DELAY_MS, forMs = FOR_MS, positionOf = () => null, onResubscribed } = options;
  const threadIds = new Set<string>();
  const waiting = new Map<string, Waiting>();
  const closing = new AbortController();

  function resolveFollowing(following: Following): Following {
    const { threadId } = following;
    if (following.kind === "refused") threadIds.delete(threadId);
    waiting.get(threadId)?.settled.resolve(following);
    waiting.delete(threadId);
    return following;
  }

  function unsubscribe(threadId: string, reason: string): void {
    if (threadIds.delete(threadId))
      options.onUnsubscribed(resolveFollowing({ kind: "refused", threadId, reason }));
  }

  /** Null where a retry may succeed, perhaps over another link. */
  async function follow(link: Link, threadId: string): Promise<Following | null> {
    const afterSeq = positionOf(threadId);
    const position = afterSeq === null ? {} : { afterSeq };
    const outcome = await link.ask("thread/resume", { threadId, excludeTurns: true, ...position });
    if (outcome.kind === "lost") return null;
    if (outcome.kind === "answered")
      return resolveFollowing({
        kind: "followed",
        threadId,
        thread: (outcome.result as { thread: Thread }).thread,
      });
    if (isPassing(outcome.error)) return null;
    return resolveFollowing({ kind: "refused", threadId, reason: outcome.error.message });
  }

  async function followLater(link: Link, threadId: string): Promise<void> {
    const deadline = performance.now() + forMs;
    const isCurrent = (): boolean => waiting.get(threadId)?.link === link;
    for (let delayMs = firstDelayMs; isCurrent(); delayMs = Math.min(MAX_DELAY_MS, 2 * delayMs)) {
      await abortablePause(delayMs, closing.signal);
      // Another link starts its own attempt.
      if (!isCurrent()) return;
      const following = await follow(link, threadId);
      if (following !== null) return onResubscribed(following);
      if (performance.now() >= deadline && isCurrent()) {
        const reason = "the server did not let it be resumed in time";
        return onResubscribed(resolveFollowing({ kind: "refused", threadId, reason }));
      }
    }
  }

  return {
    noteResponse(method, params, result) {
      if (FOLLOWING.has(method)) threadIds.add((result as { thread: { id: string } }).thread.id);
      // Starting a turn subscribes to the thread.
      if (method === "turn/start") threadIds.add((params as { threadId: string }).threadId);
      if (UNSUBSCRIBING.has(method))
        unsubscribe((params as { threadId: string }).threadId, "it was unsubscribed");
    },
    noteNotification(method, params) {
      if (THREAD_ENDED.has(method)) unsubscribe((params as { threadId: string }).threadId, method);
    },
    async renew(link) {
      const settled: Following[] = [];
      for (const threadId of threadIds) {
        // Callers that already wait continue to wait.
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
      const needsThread =
        !FOLLOWING.has(method) && !UNSUBSCRIBING.has(method) && !isRepeatable(method, params);
      return needsThread ? (waiting.get(threadId)?.settled.promise ?? null) : null;
    },
    close() {
      closing.abort();
      for (const threadId of waiting.keys())
        resolveFollowing({ kind: "refused", threadId, reason: "the connection was closed" });
    },
  };
}

export function notFollowed({ threadId, reason }: Following & { readonly kind: "refused" }): string {
  return `thread ${threadId} is not followed any more: ${reason}`;
}

const INTERNAL_ERROR = -32603;
const ACTIVE_WRITER = "already has an active writer";

/** Temporary refusals: another server's lease expires, a fault passes. */
function isPassing({ code, message }: RpcError): boolean {
  return code === INTERNAL_ERROR || message.includes(ACTIVE_WRITER);
}
