import { listEntries } from "../../memory/list-threads.ts";
import type { ItemQuery, SpanQuery } from "../../pages/history-reader.ts";
import { withHookRun } from "../../pages/row-changes.ts";
import {
  type FileItemRow,
  type FileTurnRow,
  type FoldState,
  type HistoryIndex,
  INDEXED_FILES_AT_ONCE,
  type IndexChange,
  type IndexedFile,
  type RolloutRow,
  type TurnWrite,
} from "./history-index.ts";
import { createMemoryThreadFacts } from "./memory-thread-tables.fixture.ts";

interface Lines {
  readonly turns: Map<string, FileTurnRow>;
  /** By turn and item id. */
  readonly items: Map<string, FileItemRow>;
}

/** The index in plain maps, which says by its plainness what the others have to do. */
export function createMemoryIndex(): HistoryIndex {
  const rows = new Map<string, RolloutRow>();
  const states = new Map<string, FoldState>();
  const lines = new Map<string, Lines>();
  const facts = createMemoryThreadFacts();

  const linesOf = (rolloutId: string): Lines => {
    const known = lines.get(rolloutId) ?? { turns: new Map(), items: new Map() };
    lines.set(rolloutId, known);
    return known;
  };
  const rolloutsOf = (threadId: string) => [...rows.values()].filter((row) => row.threadId === threadId);

  return {
    ...facts.part,
    epoch: 1,
    async putHeads(heads) {
      for (const head of heads) {
        const known = rows.get(head.rolloutId);
        const isBetter = known !== undefined && known.indexedBytes > 0;
        rows.set(head.rolloutId, isBetter ? { ...known, path: head.path, archived: head.archived } : head);
      }
    },
    async apply({ row, state, from, changes }) {
      if (from !== null && (rows.get(row.rolloutId)?.indexedBytes ?? 0) !== from) return false;
      if (from === null) lines.delete(row.rolloutId);
      rows.set(row.rolloutId, row);
      states.set(row.rolloutId, state);
      for (const change of changes) applyChange(linesOf(row.rolloutId), change);
      return true;
    },
    async current(threadId) {
      const row = newest(rolloutsOf(threadId));
      return row === undefined ? null : { row, details: facts.detailsOf(threadId) };
    },
    rollout: async (rolloutId) => rows.get(rolloutId) ?? null,
    state: async (rolloutId) => states.get(rolloutId) ?? null,
    rolloutsOf: async (threadId) => rolloutsOf(threadId),
    basedOn: async (ids) =>
      [...rows.values()].filter(({ base }) => base !== null && ids.includes(base.thread_id)),
    indexedFiles: async (folder, after = "") =>
      [...rows.values()]
        .filter(({ path }) => path.startsWith(`${folder}/`) && path > after)
        .sort((one, other) => (one.path < other.path ? -1 : 1))
        .slice(0, INDEXED_FILES_AT_ONCE)
        .map(indexedFileOf),
    async remove(rolloutIds) {
      for (const id of rolloutIds) {
        rows.delete(id);
        states.delete(id);
        lines.delete(id);
      }
    },
    async move(moves) {
      for (const { rolloutId, path, archived, updatedAtMs, file } of moves) {
        const row = rows.get(rolloutId);
        if (row === undefined) continue;
        const facts = { ...row.facts, updatedAtMs: updatedAtMs ?? row.facts.updatedAtMs };
        rows.set(rolloutId, { ...row, ...file, path, archived, facts });
      }
    },
    descendants: async (threadId) => below(threadId, [...rows.values()]),
    list: async (query) => {
      const threadIds = new Set([...rows.values()].map((row) => row.threadId));
      const entries = [...threadIds].flatMap((id) => {
        const row = newest(rolloutsOf(id));
        return row === undefined ? [] : [{ row, details: facts.detailsOf(id) }];
      });
      return listEntries(entries, query);
    },
    turns: async (query) => inSpan([...linesOf(query.segmentId).turns.values()], query),
    turn: async (rolloutId, turnId) => linesOf(rolloutId).turns.get(turnId) ?? null,
    items: async (query) => {
      const items = [...linesOf(query.segmentId).items.values()].filter((item) => isAsked(item, query));
      return inSpan(items, query);
    },
    itemsById: async (rolloutId, turnId, itemIds) =>
      [...linesOf(rolloutId).items.values()]
        .filter((item) => item.turnId === turnId && itemIds.includes(item.itemId))
        .sort((one, other) => one.seq - other.seq),
  };
}

function indexedFileOf({
  rolloutId,
  threadId,
  path,
  size,
  inode,
  mtimeMs,
  indexedBytes,
}: RolloutRow): IndexedFile {
  return { rolloutId, threadId, path, size, inode, mtimeMs, indexedBytes };
}

function below(threadId: string, rows: readonly RolloutRow[]): string[] {
  const found = [threadId];
  for (const id of found) {
    const children = rows.filter(({ facts }) => facts.parentThreadId === id);
    for (const child of children) if (!found.includes(child.threadId)) found.push(child.threadId);
  }
  return found.slice(1);
}

function isAsked(item: FileItemRow, { turnId, itemId, types }: ItemQuery): boolean {
  return (
    (turnId == null || item.turnId === turnId) &&
    (itemId === undefined || item.itemId === itemId) &&
    (types === undefined || types.includes(item.type))
  );
}

function newest(rows: readonly RolloutRow[]): RolloutRow | undefined {
  const key = ({ archived, fileTime, rolloutId }: RolloutRow) =>
    `${archived ? 0 : 1} ${fileTime} ${rolloutId}`;
  return rows.toSorted((one, other) => (key(one) < key(other) ? 1 : -1))[0];
}

function inSpan<T extends { readonly seq: number }>(found: readonly T[], query: SpanQuery): T[] {
  const sign = query.direction === "asc" ? 1 : -1;
  return found
    .filter(({ seq }) => seq >= query.fromSeq && seq < query.toSeq)
    .sort((one, other) => sign * (one.seq - other.seq))
    .slice(0, query.limit);
}

function applyChange({ turns, items }: Lines, change: IndexChange): void {
  if (change.kind === "rolledBack") {
    const last = [...turns.values()].sort((one, other) => other.seq - one.seq).slice(0, change.turns);
    const gone = new Set(last.map(({ turnId }) => turnId));
    for (const id of gone) turns.delete(id);
    for (const [key, { turnId }] of items) if (gone.has(turnId)) items.delete(key);
    return;
  }
  if (change.kind === "hookRun") {
    const turn = turns.get(change.turnId);
    if (turn !== undefined)
      turns.set(change.turnId, { ...turn, hookRuns: withHookRun(turn.hookRuns, change.run) });
    return;
  }
  const { kind, ...members } = change;
  if (kind === "turn") applyTurn(turns, members as TurnWrite);
  else applyItem({ turns, items }, members as FileItemRow);
}

function applyTurn(turns: Lines["turns"], write: TurnWrite): void {
  const { seq, offset, ...rest } = write;
  const known = turns.get(write.turnId);
  const told = Object.fromEntries(Object.entries(rest).filter(([, value]) => value != null));
  const before = known ?? { ...noTurn, turnId: write.turnId, seq, offset };
  turns.set(write.turnId, { ...before, ...told, end: write.end ?? null });
}

const noTurn: Omit<FileTurnRow, "turnId" | "seq" | "offset"> = {
  end: null,
  status: "inProgress",
  rootTurnId: null,
  startedAt: null,
  completedAt: null,
  durationMs: null,
  error: null,
  hookRuns: null,
  firstUserItemId: null,
  finalAgentItemId: null,
};

function applyItem({ turns, items }: Lines, item: FileItemRow): void {
  const { turnId, itemId, seq, offset, type } = item;
  const key = `${turnId}/${itemId}`;
  const isMoved = type === "userMessage" && item.json === null;
  items.set(key, { ...item, seq: isMoved ? seq : (items.get(key)?.seq ?? seq) });
  const turn = turns.get(turnId) ?? { ...noTurn, turnId, seq, offset };
  const firstUserItemId = turn.firstUserItemId ?? (type === "userMessage" ? itemId : null);
  const finalAgentItemId = type === "agentMessage" ? itemId : turn.finalAgentItemId;
  turns.set(turnId, { ...turn, firstUserItemId, finalAgentItemId });
}
