/** A client's view of the turns of a thread: queued ones and started ones. */
import type { RpcClient } from "./rpc-client.ts";

export interface QueueEntry {
  readonly id: string;
  readonly clientUserMessageId: string;
  readonly status: { readonly type: "pending" | "failed" };
}

/** All queued turns, page by page. */
export async function waitingTurns(client: RpcClient, threadId: string): Promise<QueueEntry[]> {
  const entries: QueueEntry[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = (await client.result("thread/queue/list", { threadId, limit: 100, cursor })) as {
      readonly data: readonly QueueEntry[];
      readonly nextCursor: string | null;
    };
    entries.push(...page.data);
    cursor = page.nextCursor;
    if (cursor === null) return entries;
  }
}

/** The status of each turn of the history, and the keys of its messages. */
export async function turnsWithKeys(client: RpcClient, threadId: string) {
  const { thread } = (await client.result("thread/read", { threadId, includeTurns: true })) as {
    readonly thread: {
      readonly turns: readonly {
        readonly status: string;
        readonly items: readonly { readonly type: string; readonly clientId?: string | null }[];
      }[];
    };
  };
  return thread.turns.map(({ status, items }) => ({
    status,
    keys: items.flatMap(({ type, clientId }) =>
      type === "userMessage" && clientId != null ? [clientId] : [],
    ),
  }));
}

/** The keys of the messages in the history, in order. */
export const startedKeys = async (client: RpcClient, threadId: string): Promise<string[]> =>
  (await turnsWithKeys(client, threadId)).flatMap(({ keys }) => keys);
