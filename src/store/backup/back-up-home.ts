/**
 * Backs up a home while servers use it, as a complete home. In the backup, a queued turn is in its queue or in its
 * thread, never in both or in neither. A turn is written to its file before its row is removed. Therefore the database
 * is copied as a snapshot first and the files after it, with later lines; only files of threads that had queued turns
 * are cut to their length at the snapshot. The database is locked just long enough to measure these files.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { realPath, statOf } from "../../base/file-system.ts";
import { parseRolloutName } from "../files/rollout/rollout-name.ts";
import { openConnection } from "../files/sqlite/connection.ts";
import { copyRows } from "../files/sqlite/damaged-database.ts";
import { databaseOf } from "../files/sqlite/database-file.ts";
import { openDatabase } from "../files/sqlite/driver.ts";
import { rollBack } from "../files/sqlite/migrate.ts";
import { homeInFiles } from "../open/store-address.ts";
import { createFolderCopier } from "./copy-changes.ts";

export interface BackUpOptions {
  /** The address of a store in files. */
  readonly where: string;
  /** A folder that does not exist or is empty. */
  readonly target: string;
  readonly now: () => number;
  readonly onFile?: (count: number, path: string) => void;
}

export interface BackupResult {
  readonly files: number;
  readonly bytes: number;
  /** How long the database was locked against writes of servers. */
  readonly heldMs: number;
}

/** Attempts to take a snapshot in which every thread with queued turns has a known file. */
const MAX_ATTEMPTS = 3;

/** State of running processes, and databases, which are copied through a snapshot. */
const EXCLUDED = /^(?:app-server-control|thread-writer-locks|tmp)(?:\/|$)|\.sqlite(?:-wal|-shm|-journal)?$/u;

export function backUpHome({ where, target, now, onFile }: BackUpOptions): BackupResult {
  const home = homeInFiles(where, "heddle backup");
  prepareTarget(home, target);
  /** The lengths of files at the snapshot, by thread with queued turns and by file name. */
  let ends: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map();
  const copier = createFolderCopier({
    from: home,
    to: target,
    isExcluded: (path) => EXCLUDED.test(path),
    endOf(path) {
      const name = basename(path);
      const files = ends.get(parseRolloutName(name)?.threadId ?? "");
      return files === undefined ? null : (files.get(name) ?? 0);
    },
    ...(onFile && { onFile }),
  });
  let bytes = copier.run();
  if (statOf(databaseOf(home)) === null) return { files: copier.files(), bytes, heldMs: 0 };
  const connection = openConnection(databaseOf(home));
  const snapshot = openSnapshot(databaseOf(home), databaseOf(target));
  let heldMs = 0;
  try {
    for (let attempt = 1; ; attempt += 1) {
      const known = filesByThread(home, copier.paths());
      const start = now();
      const found = connection.write(() => endsOf(snapshot.begin(), known));
      heldMs += now() - start;
      // On the last attempt, a thread that still has no file had none when its turns were queued.
      if (found.isComplete || attempt === MAX_ATTEMPTS) {
        ends = found.ends;
        break;
      }
      snapshot.cancel();
      bytes += copier.run();
    }
    snapshot.copy();
    bytes += copier.run() + lstatSync(databaseOf(target)).size;
    return { files: copier.files() + 1, bytes, heldMs };
  } finally {
    snapshot.close();
    connection.close();
  }
}

type FilesByThread = ReadonlyMap<string, readonly string[]>;

function filesByThread(home: string, paths: Iterable<string>): FilesByThread {
  const files = new Map<string, string[]>();
  for (const path of paths) {
    const threadId = parseRolloutName(basename(path))?.threadId;
    if (threadId === undefined) continue;
    const known = files.get(threadId);
    if (known === undefined) files.set(threadId, [`${home}/${path}`]);
    else known.push(`${home}/${path}`);
  }
  return files;
}

function endsOf(threadIds: ReturnType<DatabaseSnapshot["begin"]>, known: FilesByThread) {
  const ends = new Map<string, ReadonlyMap<string, number>>();
  for (const threadId of threadIds) {
    const files = known.get(threadId) ?? [];
    const sizes = files.map((path) => [basename(path), statOf(path)?.size ?? 0] as const);
    ends.set(threadId, new Map(sizes));
  }
  return { ends, isComplete: threadIds.every((threadId) => known.has(threadId)) };
}

function prepareTarget(home: string, target: string): void {
  if (`${realPath(target)}/`.startsWith(`${realPath(home)}/`))
    throw new Error(`${target} lies in the home: choose a folder elsewhere`);
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found !== undefined && (!found.isDirectory() || readdirSync(target).length > 0))
    throw new Error(`${target} is there already: choose a new or an empty folder`);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  // An existing folder may be readable by others. Only its owner can restrict it; the copied files are private anyway.
  if (found !== undefined && found.uid === process.getuid?.()) chmodSync(target, 0o700);
}

/** Copies a database as of one point in time, while other processes keep writing to it. */
interface DatabaseSnapshot {
  /** Starts the snapshot and returns the threads with queued turns. */
  begin(): readonly string[];
  /** Ends the snapshot, so that another one can begin. */
  cancel(): void;
  copy(): void;
  close(): void;
}

/** Tables that a server rebuilds from the files; their paths are those of the original home. */
const REBUILT_TABLES = new Set(["items", "turns", "rollouts", "leases"]);
const TABLES = "SELECT name FROM copy.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
const QUEUED = "SELECT DISTINCT thread_id FROM main.queue_rows";
/** Ids that were assigned are not reused, even if their rows are gone. */
const COPY_SEQUENCES = `
  DELETE FROM copy.sqlite_sequence;
  INSERT INTO copy.sqlite_sequence (name, seq) SELECT name, seq FROM main.sqlite_sequence;`;

/** The schema of the source must be the newest one. */
function openSnapshot(from: string, to: string): DatabaseSnapshot {
  openConnection(to).close();
  const reader = openDatabase(from);
  reader.prepare("ATTACH DATABASE ? AS copy").run(to);

  return {
    begin() {
      reader.exec("BEGIN");
      return reader
        .prepare(QUEUED)
        .all()
        .map((row) => (row as { thread_id: string }).thread_id);
    },
    cancel: () => rollBack(reader),
    copy() {
      for (const row of reader.prepare(TABLES).all()) {
        const { name } = row as { name: string };
        if (!REBUILT_TABLES.has(name)) copyRows(reader, name, { from: "main", to: "copy" });
      }
      reader.exec(`${COPY_SEQUENCES} COMMIT; DETACH DATABASE copy;`);
    },
    close: () => reader.close(),
  };
}
