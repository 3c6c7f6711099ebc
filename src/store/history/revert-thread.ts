/** Reverts a thread: it goes on in a new file, which begins with the part of the old one that stays. */
import type { Clock } from "../../base/clock.ts";
import type { HistoryIndex, RolloutRow } from "../history-index.ts";
import type { HistoryPosition, SessionMeta } from "../rollout/line.ts";
import { rolloutPath } from "../rollout/rollout-name.ts";
import { RolloutWriter } from "../rollout/writer.ts";
import { findBranchPoint, isLegacy } from "./branch-point.ts";
import type { Indexer } from "./indexer.ts";
import type { Leases } from "./leases.ts";
import { activeWriter, type Done, refuse } from "./refusal.ts";
import { findSpans } from "./spans.ts";
import { firstLine } from "./thread-files.ts";

export interface RevertOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly durability: "os" | "fsync";
}

/** The thread must be closed in this process. */
export async function revertThread(
  options: RevertOptions,
  threadId: string,
  beforeTurnId: string,
): Promise<Done> {
  const { index, indexer, leases } = options;
  const found = await findSpans(indexer, threadId);
  if (found.kind === "refused") return found;
  if (isLegacy(found.current)) return refuse("legacy", "thread/revert only supports paginated threads");
  const point = await findBranchPoint(index, found.spans, { kind: "before", turnId: beforeTurnId });
  if (point.kind === "refused") return point;
  if ((await leases.acquire(threadId, { takeOver: false })).kind === "theirs") return activeWriter(threadId);
  try {
    return await replaceFile(options, found.current, point.base);
  } finally {
    await leases.release(threadId);
  }
}

async function replaceFile(
  { home, indexer, clock, createId, durability }: RevertOptions,
  current: RolloutRow,
  base: HistoryPosition | null,
): Promise<Done> {
  const meta = await firstLine(current.path);
  if (meta === null) return refuse("unreadable", `${current.path} has no first line that can be read`);
  const { history_base: _base, ...kept } = meta;
  const createdAtMs = clock.now();
  const path = rolloutPath(home, { threadId: current.threadId, createdAtMs, rolloutId: createId() });
  const timestamp = new Date(createdAtMs).toISOString();
  const payload = { ...kept, timestamp, ...(base === null ? {} : { history_base: base }) } as SessionMeta;
  const firstOrdinal = base?.end_ordinal_exclusive ?? 0;
  const writer = new RolloutWriter({ path, clock, durability, firstOrdinal });
  const outcome = await writer.append([{ type: "session_meta", payload }]);
  await writer.close();
  if (outcome.kind === "failed") return refuse("disk", outcome.fault.message);
  await indexer.refresh({ path });
  return { kind: "done" };
}
