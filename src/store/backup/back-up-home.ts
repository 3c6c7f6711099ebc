/**
 * A copy of a home while servers work in it, as a home of its own. The bulk is copied beside their work. Then the
 * database is held for a moment, in which nothing can be taken out of a queue, and what has changed is copied once more,
 * with the database: so no queued turn is in both, its queue and its thread, and none is in neither.
 */
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { realPath } from "../../base/file-system.ts";
import { openConnection } from "../sqlite/connection.ts";
import { openDatabase } from "../sqlite/driver.ts";
import { databaseOf } from "../sqlite/sqlite-tables.ts";
import { createCopying } from "./copy-changes.ts";

export interface BackUpOptions {
  readonly home: string;
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

/** So little is copied in a blink. */
const FEW_BYTES = 4 << 20;
const PASSES = 6;

/** What belongs to running processes, and the databases, which are copied in their own way. */
const LEFT_OUT = /^(?:app-server-control|thread-writer-locks|tmp)(?:\/|$)|\.sqlite(?:-wal|-shm|-journal)?$/u;
/** Of what the index and leases know, all can be found again in the files; paths in it are those of the other home. */
const FOUND_AGAIN = ["items", "turns", "rollouts", "leases"];

export function backUpHome({ home, target, now, onFile }: BackUpOptions): BackedUp {
  prepareTarget(home, target);
  const copying = createCopying({
    from: home,
    to: target,
    leaveOut: (path) => LEFT_OUT.test(path),
    ...(onFile && { onFile }),
  });
  let bytes = copying.run();
  for (let pass = 1, changed = bytes; changed > FEW_BYTES && pass < PASSES; pass += 1) {
    changed = copying.run();
    bytes += changed;
  }
  const database = databaseOf(home);
  if (!isThere(database)) return { files: copying.files(), bytes, heldMs: 0 };
  const connection = openConnection(database);
  try {
    const start = now();
    connection.write(() => {
      bytes += copying.run();
      copyDatabase(database, databaseOf(target));
    });
    const heldMs = now() - start;
    forgetPlaces(databaseOf(target));
    bytes += lstatSync(databaseOf(target)).size;
    return { files: copying.files() + 1, bytes, heldMs };
  } finally {
    connection.close();
  }
}

function prepareTarget(home: string, target: string): void {
  if (`${realPath(target)}/`.startsWith(`${realPath(home)}/`))
    throw new Error(`${target} lies in the home: choose a folder elsewhere`);
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found !== undefined && (!found.isDirectory() || readdirSync(target).length > 0))
    throw new Error(`${target} is there already: choose a new or an empty folder`);
  mkdirSync(target, { recursive: true, mode: 0o700 });
}

const isThere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;

/** As it is now, by a second reader: who holds it for writing cannot. */
function copyDatabase(from: string, to: string): void {
  const reader = openDatabase(from);
  try {
    reader.prepare("VACUUM INTO ?").run(to);
  } finally {
    reader.close();
  }
}

function forgetPlaces(file: string): void {
  const database = openDatabase(file);
  try {
    for (const table of FOUND_AGAIN) database.exec(`DELETE FROM ${table}`);
  } finally {
    database.close();
  }
}
