/** Reads the state with which a thread continues, or begins with the history of another. */

import type { JsonObject } from "../../../base/json-object.ts";
import { once } from "../../../base/tasks.ts";
import { parseLine } from "../../lines/line.ts";
import {
  emptyModelHistory,
  foldModelHistory,
  isSelfContained,
  type ModelHistory,
} from "../../lines/model-history.ts";
import {
  type FoldedFacts,
  foldFacts,
  longFacts,
  noFacts,
  type ThreadFacts,
} from "../../lines/thread-facts.ts";
import { unfinishedTurn } from "../../pages/history-reader.ts";
import type { InterruptionMarker, StoredHistory } from "../../thread-store.ts";
import type { Statements } from "../connection/database.ts";
import { readLines } from "./read-lines.ts";
import type { PostgresSpan } from "./segments.ts";
import type { ThreadRows } from "./thread-rows.ts";

const PREVIEW = "SELECT preview FROM thread WHERE thread_id = $1";
const FIRST_LINE = "SELECT body FROM line WHERE thread_id = $1 AND generation = $2 AND seq = $3";
/** As in the line; inside of a string, the quotes would be escaped. */
const COMPACTIONS = `
  SELECT seq, body FROM line WHERE thread_id = $1 AND generation = $2 AND seq >= $3 AND seq < $4
    AND strpos(body, '"type":"compacted"') > 0
  ORDER BY seq DESC LIMIT 5`;

export interface RecallContext {
  readonly statements: Statements;
  readonly rows: ThreadRows;
}

export interface RecallableSegments {
  readonly facts: ThreadFacts;
  /** With the end of the last one. */
  readonly spans: readonly PostgresSpan[];
  /** Appended to the model's history if it ends within a turn. */
  readonly marker: InterruptionMarker | null;
}

export async function recallSegments(
  context: RecallContext,
  { facts, spans, marker }: RecallableSegments,
): Promise<StoredHistory> {
  return {
    facts: { ...facts, preview: await firstMessage(context, spans) },
    model: once(async () => {
      const model = await readModel(context, spans);
      return marker === null ? model : { ...model, items: [...model.items, { ...marker }] };
    }).get,
    unfinishedTurnId: (await unfinishedTurn(context.rows, spans))?.turnId ?? null,
  };
}

/** The first user message of a history, including the part before a fork; empty if there is none. */
async function firstMessage(
  { statements, rows }: RecallContext,
  spans: readonly PostgresSpan[],
): Promise<string> {
  for (const { segmentId, threadId, fromSeq, toSeq } of spans) {
    const query = { segmentId, fromSeq, toSeq, direction: "asc", limit: 1 } as const;
    const [first] = await rows.items({ ...query, types: ["userMessage"] });
    if (first === undefined) continue;
    const [found] = await statements.query<{ readonly preview: string }>(PREVIEW, threadId);
    if (found !== undefined && found.preview !== "") return found.preview;
  }
  return "";
}

/** A compaction replaces everything before it, so that only lines from the last one on are read. */
async function readModel(context: RecallContext, spans: readonly PostgresSpan[]): Promise<ModelHistory> {
  const model = emptyModelHistory();
  const needed = await sinceCompaction(context.statements, spans);
  for await (const { line } of readLines(needed, {}, context)) foldModelHistory(model, line, false);
  return model;
}

async function sinceCompaction(
  { query }: Statements,
  spans: readonly PostgresSpan[],
): Promise<readonly PostgresSpan[]> {
  for (const [at, span] of [...spans.entries()].toReversed()) {
    const { threadId, generation, fromSeq, toSeq } = span;
    const values = [threadId, generation, fromSeq, toSeq];
    const found = await query<{ readonly seq: number; readonly body: string }>(COMPACTIONS, ...values);
    const last = found.find(({ body }) => {
      const parsed = parseLine(body);
      return parsed.kind === "line" && isSelfContained(parsed.line);
    });
    if (last !== undefined) return [{ ...span, fromSeq: last.seq }, ...spans.slice(at + 1)];
  }
  return spans;
}

/** The facts that a segment inherits from what it continues. The preview is that of the thread itself. */
export async function inheritFacts(
  context: RecallContext,
  spans: readonly PostgresSpan[],
  isOwn: boolean,
): Promise<FoldedFacts> {
  let facts = noFacts;
  for await (const { line } of readLines(spans, {}, context)) facts = foldFacts(facts, line);
  const preview = isOwn ? facts.preview : "";
  return { ...facts, preview, generation: null, ownHistoryStart: 0, goal: null };
}

/** The payload of the session line of a segment. */
export async function readMeta(
  { query }: Statements,
  { threadId, generation, fromSeq }: PostgresSpan,
): Promise<JsonObject> {
  const [found] = await query<{ readonly body: string }>(FIRST_LINE, threadId, generation, fromSeq);
  const parsed = parseLine(found?.body ?? "");
  return parsed.kind === "line" ? parsed.line.payload : {};
}

/** The facts for continuing a thread, with the long values that lists omit. */
export async function wholeFacts(
  statements: Statements,
  facts: FoldedFacts,
  spans: readonly PostgresSpan[],
): Promise<FoldedFacts> {
  const last = spans.at(-1);
  return last === undefined ? facts : { ...facts, ...longFacts(await readMeta(statements, last)) };
}
