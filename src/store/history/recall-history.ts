/** What a thread knows when it goes on, or when it begins with the history of another. */
import { once } from "../../base/once.ts";
import type { HistoryIndex } from "../history-index.ts";
import type { ModelHistory } from "../rollout/model-history.ts";
import type { ThreadFacts } from "../rollout/thread-facts.ts";
import type { FaultList } from "./fault-list.ts";
import type { Indexer } from "./indexer.ts";
import { readModel } from "./read-model.ts";
import { firstMessage, type Span, unfinishedTurn } from "./spans.ts";

export interface RecalledHistory {
  readonly facts: ThreadFacts;
  /** What the model has been told: read when it is first asked for, then kept. */
  readonly model: () => Promise<ModelHistory>;
  /** A turn that was cut off with its process. Nothing needs to be written: it reads as interrupted from now on. */
  readonly unfinishedTurnId: string | null;
}

/** Tells the model of a turn that the fork does not go on with. */
export type InterruptionMarker = { readonly type: string };

export interface RecallOptions {
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly faults: FaultList;
}

export interface Recallable {
  readonly facts: ThreadFacts;
  readonly spans: readonly Span[];
  /** Ends what the model is told, where the history ends within a turn. */
  readonly marker: InterruptionMarker | null;
}

const READ_ATTEMPTS = 3;

export async function recallHistory(
  options: RecallOptions,
  { facts, spans, marker }: Recallable,
): Promise<RecalledHistory> {
  const { index } = options;
  const unfinishedTurnId = (await unfinishedTurn(index, spans))?.turnId ?? null;
  return {
    facts: { ...facts, preview: await firstMessage(index, spans) },
    model: once(async () => {
      const model = await readWherever(options, spans);
      return marker === null ? model : { ...model, items: [...model.items, { ...marker }] };
    }).get,
    unfinishedTurnId,
  };
}

/** Files that a thread shares with others may be moved between its opening and this, or in the middle of it. */
async function readWherever(
  options: RecallOptions,
  spans: readonly Span[],
  attempt = 1,
): Promise<ModelHistory> {
  const { indexer, faults } = options;
  const found: Span[] = [];
  for (const span of spans) {
    const path = (await indexer.rowOfRollout(span.row.rolloutId))?.path ?? span.row.path;
    found.push({ ...span, row: { ...span.row, path } });
  }
  try {
    return await readModel(found, faults);
  } catch (error) {
    if (attempt === READ_ATTEMPTS) throw error;
    return readWherever(options, spans, attempt + 1);
  }
}
