import { nextTurn } from "../../base/time-slices.ts";
import type { HistoryIndex, Sighting } from "../history-index.ts";

/** Everything that the index knows of a folder and those below it, by path; other work gets its turn on the way. */
export async function* sightingsIn(index: HistoryIndex, folder: string): AsyncGenerator<Sighting> {
  for (let after: string | undefined; ; ) {
    const found = await index.sightings(folder, after);
    yield* found;
    after = found.at(-1)?.path;
    if (after === undefined) return;
    await nextTurn();
  }
}
