// Caches parsed files until they change. A stale result is worse than a slow one: a recently modified file is
// read again, because the next change may leave the same timestamp and size.
import { statSync } from "node:fs";
import type { Clock } from "../base/clock.ts";
import { osErrorText } from "../base/errors.ts";
import { type FileStats, isSettled, stampOf } from "../base/file-stamp.ts";
import { readRegularFile } from "../base/read-regular-file.ts";
import type { ConfigFault } from "./toml/config-fault.ts";
import { decodeText, MAX_CONFIG_FILE_BYTES, parseToml } from "./toml/parse-toml.ts";
import type { TomlTable } from "./toml/toml-value.ts";

export type FileState =
  | { readonly kind: "missing"; readonly path: string }
  | { readonly kind: "table"; readonly path: string; readonly text: string; readonly table: TomlTable }
  /** `text` is present when the file could be read and is not valid TOML. */
  | { readonly kind: "fault"; readonly fault: ConfigFault; readonly text?: string };

/** How the files of one kind are parsed. */
export interface FileKind<S extends object> {
  readonly maxBytes: number;
  parse(path: string, bytes: Uint8Array): S;
  missing(path: string): S;
  unreadable(path: string, reason: string): S;
}

export interface ParsedFiles<S> {
  /** Returns the same object while the file is unchanged. */
  read(path: string): Promise<S>;
}

export type FileCache = ParsedFiles<FileState>;

interface Entry<S> {
  readonly stamp: string;
  readonly settled: boolean;
  readonly bytes: Buffer | undefined;
  readonly isMissing: boolean;
  readonly state: S;
}

/** Evicts files of projects that are no longer in use. */
const MAX_ENTRIES = 256;

/** The cache of configuration files. */
export function createFileCache(clock: Clock): FileCache {
  return createParsedFiles(clock, {
    maxBytes: MAX_CONFIG_FILE_BYTES,
    parse: stateOf,
    missing: (path) => ({ kind: "missing", path }),
    unreadable,
  });
}

export function createParsedFiles<S extends object>(clock: Clock, kind: FileKind<S>): ParsedFiles<S> {
  const entries = new Map<string, Entry<S>>();

  async function read(path: string): Promise<S> {
    try {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) return missing(path);
      const known = entries.get(path);
      const stamp = stampOf(stats);
      if (known?.stamp === stamp && known.settled) return known.state;
      const settled = isSettled(stats, clock.now());
      const found = { stamp, settled, isMissing: false };
      if (!stats.isFile()) {
        const state = kind.unreadable(path, `path \`${path}\` is not a file`);
        return store(path, { ...found, bytes: undefined, state });
      }
      const read = await readRegularFile(path, { maxBytes: kind.maxBytes, from: "own" });
      if (read.kind === "refused") {
        if (read.reason === "missing") return missing(path);
        const reason = read.reason === "tooLarge" ? tooLarge(stats, kind.maxBytes) : read.message;
        return store(path, faulty(kind.unreadable(path, reason)));
      }
      const { bytes } = read;
      const state = known?.bytes?.equals(bytes) === true ? known.state : kind.parse(path, bytes);
      return store(path, { ...found, bytes, state });
    } catch (error) {
      if (isMissing(error)) return missing(path);
      return store(path, faulty(kind.unreadable(path, osErrorText(error))));
    }
  }

  function missing(path: string): S {
    const known = entries.get(path);
    if (known?.isMissing === true) return known.state;
    return store(path, { ...faulty(kind.missing(path)), isMissing: true });
  }

  function store(path: string, entry: Entry<S>): S {
    entries.delete(path);
    entries.set(path, entry);
    const [oldest] = entries.keys();
    if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
    return entry.state;
  }

  return { read };
}

/** Cached without a stamp, so that the next call reads the file again. */
function faulty<S>(state: S): Entry<S> {
  return { stamp: "", settled: false, bytes: undefined, isMissing: false, state };
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}

function tooLarge({ size }: FileStats, maxBytes: number): string {
  return `its ${size} bytes are more than the limit of ${maxBytes}`;
}

function stateOf(path: string, bytes: Uint8Array): FileState {
  const decoded = decodeText(bytes);
  if (!decoded.ok) return unreadable(path, decoded.reason);
  const parsed = parseToml(decoded.text, path);
  if (!parsed.ok) return { kind: "fault", fault: parsed.fault, text: decoded.text };
  return { kind: "table", path, text: decoded.text, table: parsed.table };
}

function unreadable(path: string, reason: string): FileState {
  return { kind: "fault", fault: { message: `Failed to read config file ${path}: ${reason}` } };
}
