import { createDeferred, type Deferred } from "../base/tasks.ts";
import type { ErrorObject, RequestId } from "./message.ts";
import { RequestAbandoned, RpcError } from "./rpc-error.ts";

/**
 * Requests that wait for their response. Each settles exactly once: by its response, by its signal, or
 * by the closing of the whole; whatever comes later finds nothing and says so.
 */
export interface PendingRequests {
  /** Opens a request under a new id, counted up from the first one. */
  open(signal?: AbortSignal): { readonly id: number; readonly response: Promise<unknown> };
  /** False when no such request waits. */
  resolve(id: RequestId, result: unknown): boolean;
  reject(id: RequestId, error: ErrorObject): boolean;
  /** Rejects all that wait, and from then on everything that is opened. */
  close(reason: string): void;
  readonly size: number;
}

export function createPendingRequests(firstId = 0): PendingRequests {
  const waiting = new Map<RequestId, Deferred<unknown> & { stopListening(): void }>();
  let nextId = firstId;
  let closedBecause: string | null = null;

  function take(id: RequestId): Deferred<unknown> | undefined {
    const entry = waiting.get(id);
    if (entry === undefined) return undefined;
    waiting.delete(id);
    entry.stopListening();
    return entry;
  }

  return {
    open(signal) {
      const id = nextId++;
      const deferred = createDeferred<unknown>();
      if (closedBecause !== null) deferred.reject(new RequestAbandoned(closedBecause));
      else if (signal?.aborted) deferred.reject(abandonedBy(signal));
      else {
        const onAbort = () => signal && take(id)?.reject(abandonedBy(signal));
        signal?.addEventListener("abort", onAbort, { once: true });
        waiting.set(id, {
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
      closedBecause ??= reason;
      for (const id of waiting.keys()) take(id)?.reject(new RequestAbandoned(reason));
    },
    get size() {
      return waiting.size;
    },
  };
}

function abandonedBy(signal: AbortSignal): RequestAbandoned {
  return new RequestAbandoned("the request was cancelled", { cause: signal.reason });
}

/** Half of the safe integers: counting up from any of them stays within what every client reads exactly. */
const BITS = 52;

/**
 * Where a process begins to number its requests. Drawn at random, so that an answer to a question of an earlier
 * process is no answer to another question of this one.
 */
export function createFirstRequestId(randomBytes: (size: number) => { readBigUInt64LE(): bigint }): number {
  return Number(BigInt.asUintN(BITS, randomBytes(8).readBigUInt64LE()));
}
