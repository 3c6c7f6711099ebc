/**
 * A copy of a home while servers work in it, as a home of its own. No queued turn may be both in its queue and in its
 * thread, nor in neither. A turn is in its file before its row is gone: so the database is copied as it was at one
 * moment, and after that the files, with all that has come since; only those of threads that had something in their
 * queues end where they ended then. To look at these few is all that the database is held for.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { realPath, statOf } from "../../base/file-system.ts";
import { parseRolloutName } from "../files/rollout/rollout-name.ts";
import { openConnection } from "../files/sqlite/connection.ts";
import { databaseOf } from "../files/sqlite/database-file.ts";
import { homeInFiles } from "../open/store-address.ts";
import { createCopying } from "./copy-changes.ts";
import { openSnapshot, type Snapshot } from "./snapshot-database.ts";

export interface BackUpOptions {
  /** The address of the store, which must be in files. */
  readonly where: string;
  /** A folder that is not there yet, or empty. */
  readonly target: string;
  readonly now: () => number;
  readonly onFile?: (count: number, path: string) => void;
}

export interface BackedUp {
  readonly files: number;
  readonly bytes: number;
  /** How long servers on the home could not write to the database. */
  readonly heldMs: number;
}

/** How often threads are looked for that have been made, and queued for, meanwhile. */
const LOOKS = 3;

/** What belongs to running processes, and the databases, which are copied in their own way. */
const LEFT_OUT = /^(?:app-server-control|thread-writer-locks|tmp)(?:\/|$)|\.sqlite(?:-wal|-shm|-journal)?$/u;

export function backUpHome({ where, target, now, onFile }: BackUpOptions): BackedUp {
  const home = homeInFiles(where, "heddle backup");
  prepareTarget(home, target);
  /** By thread that had something in its queue: how long each of its files was then. */
  let ends: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map();
  const copying = createCopying({
    from: home,
    to: target,
    leaveOut: (path) => LEFT_OUT.test(path),
    endOf(path) {
      const name = basename(path);
      const files = ends.get(parseRolloutName(name)?.threadId ?? "");
      return files === undefined ? null : (files.get(name) ?? 0);
    },
    ...(onFile && { onFile }),
  });
  let bytes = copying.run();
  if (statOf(databaseOf(home)) === null) return { files: copying.files(), bytes, heldMs: 0 };
  const connection = openConnection(databaseOf(home));
  const snapshot = openSnapshot(databaseOf(home), databaseOf(target));
  let heldMs = 0;
  try {
    for (let look = 1; ; look += 1) {
      const known = filesByThread(home, copying.paths());
      const start = now();
      const found = connection.write(() => endsOf(snapshot.begin(), known));
      heldMs += now() - start;
      // A thread that still has no file then had none when its turns were queued.
      if (found.isWhole || look === LOOKS) {
        ends = found.ends;
        break;
      }
      snapshot.cancel();
      bytes += copying.run();
    }
    snapshot.copy();
    bytes += copying.run() + lstatSync(databaseOf(target)).size;
    return { files: copying.files() + 1, bytes, heldMs };
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

function endsOf(threadIds: ReturnType<Snapshot["begin"]>, known: FilesByThread) {
  const ends = new Map<string, ReadonlyMap<string, number>>();
  for (const threadId of threadIds) {
    const files = known.get(threadId) ?? [];
    const sizes = files.map((path) => [basename(path), statOf(path)?.size ?? 0] as const);
    ends.set(threadId, new Map(sizes));
  }
  return { ends, isWhole: threadIds.every((threadId) => known.has(threadId)) };
}

function prepareTarget(home: string, target: string): void {
  if (`${realPath(target)}/`.startsWith(`${realPath(home)}/`))
    throw new Error(`${target} lies in the home: choose a folder elsewhere`);
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found !== undefined && (!found.isDirectory() || readdirSync(target).length > 0))
    throw new Error(`${target} is there already: choose a new or an empty folder`);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  // One that was there may be open to all. Whose it is not cannot close it, and all that is put into it is closed.
  if (found !== undefined && found.uid === process.getuid?.()) chmodSync(target, 0o700);
}
