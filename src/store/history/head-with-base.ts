/** What a list needs to know of a file that goes on from others: its own head, and what it has from theirs. */
import type { RolloutRow } from "../history-index.ts";
import type { FoundRollout } from "../rollout/find-rollouts.ts";
import { type Head, inheritedFacts, readHead } from "./read-head.ts";
import { MAX_FILES } from "./spans.ts";

export interface BaseSource {
  /** A row that need not be read again; null when there is none. */
  readonly known: (rolloutId: string) => Promise<RolloutRow | null>;
  /** The file of a rollout; null when there is none. */
  readonly locate: (rolloutId: string) => Promise<FoundRollout | null>;
  /** Hears of the rows of bases that had to be read. */
  readonly keep?: (row: RolloutRow) => void;
}

/** Files may go on from one another in a circle, or from each other without end: each is read once, up to a bound. */
export async function headWithBase(found: FoundRollout, source: BaseSource): Promise<Head> {
  const first = readHead(found);
  if (first.kind === "unreadable") return first;
  const chain: RolloutRow[] = [first.row];
  const seen = new Set([first.row.rolloutId]);
  let before: RolloutRow | null = null;
  for (let { base } = first.row; base !== null && chain.length < MAX_FILES; ) {
    const id = base.thread_id.toLowerCase();
    if (seen.has(id)) break;
    seen.add(id);
    before = await source.known(id);
    const file = before === null ? await source.locate(id) : null;
    const head = file === null ? null : readHead(file);
    if (head?.kind !== "row") break;
    chain.push(head.row);
    ({ base } = head.row);
  }
  for (const [at, row] of chain.toReversed().entries()) {
    before = before === null ? row : inherit(row, before);
    if (at < chain.length - 1) source.keep?.(before);
  }
  return { kind: "row", row: before ?? first.row };
}

function inherit(row: RolloutRow, base: RolloutRow): RolloutRow {
  const { facts: own, threadId } = row;
  const { preview, model } = inheritedFacts(base, threadId);
  const isSame = base.threadId === threadId;
  const createdAtMs = isSame ? base.facts.createdAtMs : own.createdAtMs;
  const createdOrderMs = isSame ? base.createdOrderMs : row.createdOrderMs;
  const facts = { ...own, preview: preview || own.preview, createdAtMs, model: own.model ?? model };
  return { ...row, createdOrderMs, facts };
}
