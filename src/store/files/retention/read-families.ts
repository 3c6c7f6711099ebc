/** Reads the facts about the threads of a home that retention depends on. */
import { statSync } from "node:fs";
import type { Clock } from "../../../base/clock.ts";
import { objectMember, textMember } from "../../../base/json-members.ts";
import { createTimeSlices } from "../../../base/time-slices.ts";
import type { Queue } from "../../queue.ts";
import { indexedFilesIn } from "../index/folder-scanner.ts";
import type { HistoryIndex, RolloutRow, ThreadEntry } from "../index/history-index.ts";
import { openRollout } from "../rollout/reader.ts";
import type { RolloutFiles } from "../rollout/rollout-files.ts";
import { archivedFolder, sessionsFolder } from "../rollout/rollout-name.ts";
import type { FileLeases } from "../threads/file-leases.ts";
import { packableFiles } from "../threads/pack-thread.ts";
import type { Family } from "./plan-retention.ts";

export interface FamilyThread {
  readonly threadId: string;
  readonly archived: boolean;
  /** The name of the thread, or its first message. */
  readonly title: string;
  readonly rows: readonly RolloutRow[];
}

export interface HomeFamily extends Family {
  /** The root thread comes first. */
  readonly threads: readonly FamilyThread[];
}

export interface FamilyOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly files: RolloutFiles;
  readonly leases: Pick<FileLeases, "isHeld" | "locked">;
  readonly queue: Pick<Queue, "threads">;
  /** The threads that schedules run in. */
  readonly scheduled: () => Promise<readonly string[]>;
  readonly clock: Pick<Clock, "now">;
  /** Whether a named thread is exempt. */
  readonly keepNamed: boolean;
}

interface Known extends FamilyThread {
  readonly entry: ThreadEntry;
}

/** The index must contain every file of the home. */
export async function readFamilies(options: FamilyOptions): Promise<HomeFamily[]> {
  const known = await readThreads(options);
  const rootOf = createRootFinder(known);
  const members = new Map<string, Known[]>();
  const owners = new Map<string, string>();
  for (const thread of known.values()) {
    const root = rootOf(thread.threadId);
    const others = members.get(root) ?? [];
    members.set(root, others);
    if (thread.threadId === root) others.unshift(thread);
    else others.push(thread);
    for (const { rolloutId } of thread.rows) owners.set(rolloutId, root);
  }
  const expected = await readExpected(options);
  const locked = options.leases.locked([...known.keys()]);
  const families: HomeFamily[] = [];
  for (const [rootId, threads] of members) {
    const protection =
      (await loadedBy(options, threads, locked)) ?? (await protectionOf(options, threads, expected));
    families.push(await toFamily(options, { rootId, threads, owners, protection }));
  }
  return families;
}

/** Why the plan no longer applies to a family; null if it does. The caller holds the leases of its threads. */
export async function findPlanConflict(
  options: FamilyOptions,
  { threads, lastActiveMs }: HomeFamily,
): Promise<string | null> {
  const found: Known[] = [];
  for (const { threadId } of threads) {
    const thread = await readThread(options.index, threadId);
    if (thread === null) return "it is gone";
    found.push(thread);
  }
  if (found.some(({ rows }) => rows.some((row) => changedAt(row) > lastActiveMs)))
    return "something has happened in it meanwhile";
  return protectionOf(options, found, await readExpected(options));
}

async function readThreads({ home, index, clock }: FamilyOptions): Promise<Map<string, Known>> {
  const slice = createTimeSlices(() => clock.now());
  const known = new Map<string, Known>();
  for (const folder of [sessionsFolder(home), archivedFolder(home)]) {
    for await (const { threadId } of indexedFilesIn(index, folder)) {
      const thread = known.has(threadId) ? null : await readThread(index, threadId);
      if (thread !== null) known.set(threadId, thread);
      await slice.pause();
    }
  }
  return known;
}

async function readThread(index: HistoryIndex, threadId: string): Promise<Known | null> {
  const entry = await index.current(threadId);
  if (entry === null) return null;
  const title = entry.details.name ?? entry.row.facts.preview;
  const rows = await index.rolloutsOf(threadId);
  return { threadId, archived: rows.every(({ archived }) => archived), title, rows, entry };
}

/** Finds the root thread of a family; if parents form a cycle, the root is the lowest id in it. */
function createRootFinder(known: ReadonlyMap<string, Known>): (threadId: string) => string {
  const roots = new Map<string, string>();
  const parentOf = (id: string): string | null => {
    const parent = known.get(id)?.entry.row.facts.parentThreadId?.toLowerCase() ?? null;
    return parent !== null && known.has(parent) ? parent : null;
  };
  return (threadId) => {
    const visited = new Set<string>();
    let id: string | null = threadId;
    let last = threadId;
    while (id !== null && !roots.has(id) && !visited.has(id)) {
      visited.add(id);
      last = id;
      id = parentOf(id);
    }
    const cycle = [...visited].slice(id === null ? -1 : [...visited].indexOf(id));
    const root = (id === null ? last : roots.get(id)) ?? cycle.sort()[0] ?? threadId;
    for (const each of visited) roots.set(each, root);
    return root;
  };
}

interface Gathered {
  readonly rootId: string;
  readonly threads: readonly Known[];
  /** The family root of each file, by rollout id. */
  readonly owners: ReadonlyMap<string, string>;
  readonly protection: string | null;
}

async function toFamily(
  options: FamilyOptions,
  { rootId, threads, owners, protection }: Gathered,
): Promise<HomeFamily> {
  const rows = threads.flatMap((thread) => thread.rows);
  const bases = rows.flatMap(({ base }) =>
    base === null ? [] : (owners.get(base.thread_id.toLowerCase()) ?? []),
  );
  const isArchived = threads.every(({ archived }) => archived);
  return {
    rootId,
    threads,
    lastActiveMs: latest(rows, changedAt),
    archivedSinceMs: isArchived ? latest(rows, movedAt) : null,
    bytes: rows.reduce((sum, { size }) => sum + size, 0),
    isPackable: isArchived && (await hasPackable(options, threads)),
    protection,
    basedOn: [...new Set(bases)].filter((root) => root !== rootId),
  };
}

function latest(rows: readonly RolloutRow[], timeOf: (row: RolloutRow) => number): number {
  return rows.reduce((most, row) => Math.max(most, timeOf(row)), 0);
}

function changedAt({ path, mtimeMs }: RolloutRow): number {
  return Math.floor(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? mtimeMs);
}

/** The time of the last rename: unlike the modification time, the change time is updated by a move. */
function movedAt({ path }: RolloutRow): number {
  return statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;
}

async function hasPackable({ index }: FamilyOptions, threads: readonly Known[]): Promise<boolean> {
  for (const { threadId } of threads) if ((await packableFiles(index, threadId)).length > 0) return true;
  return false;
}

async function loadedBy(
  { leases }: FamilyOptions,
  threads: readonly Known[],
  locked: ReadonlySet<string>,
): Promise<string | null> {
  for (const { threadId } of threads) {
    if (await leases.isHeld(threadId)) return "a server has it loaded";
    if (locked.has(threadId)) return "another program has it open";
  }
  return null;
}

/** Threads in which turns will start without a client. */
interface ExpectedThreads {
  readonly queued: ReadonlySet<string>;
  readonly scheduled: ReadonlySet<string>;
}

async function readExpected({ queue, scheduled }: FamilyOptions): Promise<ExpectedThreads> {
  return { queued: new Set(await queue.threads()), scheduled: new Set(await scheduled()) };
}

/** Why an unloaded family is exempt; null if it is not. */
async function protectionOf(
  { keepNamed, files }: FamilyOptions,
  threads: readonly Known[],
  { queued, scheduled }: ExpectedThreads,
): Promise<string | null> {
  for (const { threadId, entry, archived } of threads) {
    if (queued.has(threadId)) return "turns wait in its queue";
    if (scheduled.has(threadId)) return "a schedule runs in it";
    if (keepNamed && entry.details.name !== null) return "it has a name";
    if (!archived && (await hasActiveGoal(files, entry.row))) return "its goal is active";
  }
  return null;
}

/** If only head and tail of a file were read, a goal may be between them and is searched for. */
async function hasActiveGoal(
  files: RolloutFiles,
  { facts, indexedBytes, path }: RolloutRow,
): Promise<boolean> {
  if (indexedBytes > 0 || facts.goal !== null) return textMember(facts.goal ?? {}, "status") === "active";
  const opened = await openRollout(files, path);
  if (opened.kind === "unreadable") return false;
  try {
    const found = await opened.reader.lastWith(
      GOAL,
      await opened.reader.size(),
      ({ line }) => line.type === "event_msg",
    );
    return textMember(objectMember(found?.line.payload ?? {}, "goal") ?? {}, "status") === "active";
  } finally {
    await opened.reader.close();
  }
}

const GOAL = '"type":"thread_goal_updated"';
