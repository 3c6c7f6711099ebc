/** The description of a thread in its events. */
import type { Logger } from "../../base/logger.ts";
import { inBackground } from "../../base/tasks.ts";
import type { ThreadEvent } from "../../engine/state/events.ts";
import type { SessionSource } from "../../protocol/generated/types.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import type { AnnouncedThread } from "./webhook-events.ts";

type Threads = Pick<ThreadStore, "read">;

export function toAnnouncedThread({
  source,
  ...thread
}: Omit<AnnouncedThread, "source"> & { readonly source: SessionSource }): AnnouncedThread {
  return { ...thread, source: typeof source === "string" ? source : (Object.keys(source)[0] ?? "unknown") };
}

/** Null for a thread that is not stored. */
export async function findAnnouncedThread(
  threads: Threads,
  threadId: string,
): Promise<AnnouncedThread | null> {
  const stored = await threads.read(threadId);
  if (stored === null) return null;
  const { facts, details } = stored;
  return toAnnouncedThread({ threadId, name: details.name, cwd: facts.cwd, source: facts.source });
}

export interface ThreadNames {
  /** The name of a loaded thread; null if it has none, or it is not read yet. */
  of(threadId: string): string | null;
  onEvent(threadId: string, event: ThreadEvent): void;
}

/** The names of loaded threads, read when a turn begins, so that they are known when it ends. */
export function createThreadNames(threads: () => Promise<Threads>, log: Logger): ThreadNames {
  const names = new Map<string, string | null>();

  async function read(threadId: string): Promise<void> {
    const stored = await (await threads()).read(threadId);
    // The thread may have been unloaded meanwhile.
    if (stored !== null && names.has(threadId)) names.set(threadId, stored.details.name);
  }

  return {
    of: (threadId) => names.get(threadId) ?? null,
    onEvent(threadId, { type }) {
      if (type === "unloaded") names.delete(threadId);
      if (type !== "loaded" && type !== "turnStarted") return;
      names.set(threadId, names.get(threadId) ?? null);
      inBackground(log, "reading the name of a thread for webhooks", read(threadId));
    },
  };
}
