/**
 * Notices reverts by other programs: such a thread goes on in a new file, while the one that the index knows stays as
 * it was. All folders are looked through when a thread is first asked for; later only those of the last two days.
 */
import { dirname } from "node:path";
import { type FoundRollout, findThreadRollout } from "../rollout/find-rollouts.ts";
import { rolloutPath } from "../rollout/rollout-name.ts";
import { changeTime, rolloutsIn } from "./rollout-folders.ts";

export interface RevertWatch {
  /** Tells of files that may have come since the last time. */
  notice(threadId: string, tell: (found: FoundRollout) => Promise<void>): Promise<void>;
}

const DAY_MS = 86_400_000;
/** More threads than these are looked for anew. */
const MAX_THREADS = 10_000;

export function createRevertWatch(home: string, now: () => number): RevertWatch {
  const looked = new Set<string>();
  const times = new Map<string, number>();

  /** The reverts in a folder that has changed. */
  function newIn(folder: string): FoundRollout[] {
    const time = changeTime(folder);
    if (time === null || times.get(folder) === time) return [];
    times.set(folder, time);
    return rolloutsIn(home, folder).filter(({ name }) => name.rolloutId !== name.threadId);
  }

  return {
    async notice(threadId, tell) {
      const folders = [0, DAY_MS].map((ago) =>
        dirname(rolloutPath(home, { threadId, createdAtMs: now() - ago })),
      );
      for (const folder of times.keys()) if (!folders.includes(folder)) times.delete(folder);
      for (const found of folders.flatMap(newIn)) await tell(found);
      if (looked.has(threadId)) return;
      if (looked.size >= MAX_THREADS) looked.clear();
      looked.add(threadId);
      const found = await findThreadRollout(home, threadId);
      if (found !== null && found.name.rolloutId !== threadId) await tell(found);
    },
  };
}
