/** Who listens for what on a connection. */
type Listener = (params: unknown) => void;

export function createListeners() {
  const byMethod = new Map<string, Set<Listener>>();
  const any = new Set<(method: string, params: unknown) => void>();
  const reconnected = new Set<() => Promise<void>>();
  const end = new Set<(error: Error) => unknown>();
  let ended: Error | null = null;

  return {
    tell(method: string, params: unknown): void {
      for (const listener of byMethod.get(method) ?? []) listener(params);
      for (const listener of any) listener(method, params);
    },
    on(method: string, listener: Listener): () => void {
      const all = byMethod.get(method) ?? new Set();
      byMethod.set(method, all);
      return added(all, listener);
    },
    onAny: (listener: (method: string, params: unknown) => void) => added(any, listener),
    onReconnected: (listener: () => Promise<void>) => added(reconnected, listener),
    tellReconnected(): void {
      // Should the connection be lost once more, they are told once more.
      for (const listener of reconnected) listener().catch(() => {});
    },
    onEnd(listener: (error: Error) => unknown): () => void {
      if (ended !== null) listener(ended);
      return added(end, listener);
    },
    tellEnd(error: Error): void {
      ended = error;
      for (const listener of end) listener(error);
    },
  };
}

function added<T>(all: Set<T>, listener: T): () => void {
  // Each call counts for itself, also with the same function.
  all.add(listener);
  return () => void all.delete(listener);
}
