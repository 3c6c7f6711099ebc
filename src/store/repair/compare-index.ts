/** How far an index is from the files it is made of. It catches up by itself; here that is only counted. */
import { statSync } from "node:fs";
import { readHead } from "../history/read-head.ts";
import { sightingsIn } from "../history/sightings-in.ts";
import type { HistoryIndex } from "../history-index.ts";
import { walkRollouts } from "../rollout/find-rollouts.ts";
import { archivedFolder, sessionsFolder } from "../rollout/rollout-name.ts";

export interface IndexGap {
  /** Files that it does not know. */
  readonly missing: number;
  /** Files that have changed since it looked at them. */
  readonly outdated: number;
  /** Files that it knows and that are gone. */
  readonly gone: number;
}

export async function compareIndex(home: string, index: HistoryIndex): Promise<IndexGap> {
  const known = new Map<string, { readonly size: number; readonly inode: number }>();
  for (const folder of [sessionsFolder(home), archivedFolder(home)]) {
    for await (const { path, size, inode } of sightingsIn(index, folder)) known.set(path, { size, inode });
  }
  let missing = 0;
  let outdated = 0;
  for (const archived of [false, true]) {
    for await (const found of walkRollouts(home, { archived })) {
      const sighting = known.get(found.path);
      known.delete(found.path);
      const status = statSync(found.path, { throwIfNoEntry: false });
      if (status === undefined) continue;
      // A file of which nothing can be read is in no index.
      if (sighting === undefined) missing += readHead(found).kind === "row" ? 1 : 0;
      else if (sighting.size !== status.size || sighting.inode !== status.ino) outdated += 1;
    }
  }
  return { missing, outdated, gone: known.size };
}
