import { createDeferred, type Deferred } from "../base/tasks.ts";
import type { ErrorObject, RequestId } from "./message.ts";
import { RequestAbandoned, RpcError } from "./rpc-error.ts";

/**
 * Requests without a response yet. Each settles exactly once: by its response, by its abort signal, or by `close`; later
 * responses return false.
 */
export interface PendingRequests {
  /** Registers a request with the next id. */
  open(signal?: AbortSignal): { readonly id: number; readonly response: Promise<unknown> };
  /** False if no such request is pending. */
  resolve(id: RequestId, result: unknown): boolean;
  reject(id: RequestId, error: ErrorObject): boolean;
  /** Rejects all pending requests, and all later ones. */
  close(reason: string): void;
  size(): number;
}

export function createPendingRequests(firstId = 0): PendingRequests {
  const pending = new Map<RequestId, Deferred<unknown> & { stopListening(): void }>();
  let nextId = firstId;
  let closeReason: string | null = null;

  function take(id: RequestId): Deferred<unknown> | undefined {
    const entry = pending.get(id);
    if (entry === undefined) return undefined;
    pending.delete(id);
    entry.stopListening();
    return entry;
  }

  return {
    open(signal) {
      const id = nextId++;
      const deferred = createDeferred<unknown>();
      if (closeReason !== null) deferred.reject(new RequestAbandoned(closeReason));
      else if (signal?.aborted) deferred.reject(abandonedBy(signal));
      else {
        const onAbort = () => signal && take(id)?.reject(abandonedBy(signal));
        signal?.addEventListener("abort", onAbort, { once: true });
        pending.set(id, {
          ...deferred,
          stopListening: () => signal?.removeEventListener("abort", onAbort),
        });
      }
      return { id, response: deferred.promise };
    },
    resolve(id, result) {
      const entry = take(id);
      entry?.resolve(result);
      return entry !== undefined;
    },
    reject(id, error) {
      const entry = take(id);
      entry?.reject(new RpcError(error.code, error.message, error.data));
      return entry !== undefined;
    },
    close(reason) {
      closeReason ??= reason;
      for (const id of pending.keys()) take(id)?.reject(new RequestAbandoned(reason));
    },
    size: () => pending.size,
  };
}

function abandonedBy(signal: AbortSignal): RequestAbandoned {
  return new RequestAbandoned("the request was cancelled", { cause: signal.reason });
}

/** Half of the safe integer range, so that incremented ids stay exact in every client. */
const FIRST_ID_BITS = 52;

/**
 * The first request id of a process. Random, so that a response to a request of an earlier process does not match a
 * request of this one.
 */
export function createFirstRequestId(random: () => number): number {
  return Math.floor(random() * 2 ** FIRST_ID_BITS);
}
