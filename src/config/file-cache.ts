// Reads files and keeps what they say until they change. A stale answer is worse than a slow one: a
// file that was changed a moment ago is read again, because the next change may leave the same time
// stamp and size behind.
import { statSync } from "node:fs";
import type { Clock } from "../base/clock.ts";
import { osErrorText } from "../base/errors.ts";
import { readRegularFile } from "../base/read-regular-file.ts";
import type { ConfigFault } from "./toml/config-fault.ts";
import { decodeText, MAX_CONFIG_FILE_BYTES, parseToml } from "./toml/parse-toml.ts";
import type { TomlTable } from "./toml/toml-value.ts";

export type FileState =
  | { readonly kind: "missing"; readonly path: string }
  | { readonly kind: "table"; readonly path: string; readonly text: string; readonly table: TomlTable }
  /** `text` is there when the file could be read and is not valid TOML. */
  | { readonly kind: "fault"; readonly fault: ConfigFault; readonly text?: string };

/** What is made of the files of one kind. */
export interface FileKind<S extends object> {
  readonly maxBytes: number;
  parse(path: string, bytes: Uint8Array): S;
  missing(path: string): S;
  unreadable(path: string, reason: string): S;
}

export interface ParsedFiles<S> {
  /** The same object as long as the file stays the same. */
  read(path: string): Promise<S>;
}

export type FileCache = ParsedFiles<FileState>;

/** What tells whether a file has changed. */
export interface FileStats {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeMs: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** Time stamps of the coarsest file systems in use count in steps of two seconds. */
const SETTLED_MS = 2000;

interface Entry<S> {
  readonly stamp: string;
  readonly stable: boolean;
  readonly bytes: Buffer | undefined;
  readonly isMissing: boolean;
  readonly state: S;
}

/** Files of projects that nobody works in any more are forgotten. */
const MAX_ENTRIES = 256;

/** The files of the configuration. */
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
      if (known?.stamp === stamp && known.stable) return known.state;
      const stable = isStable(stats, clock);
      const found = { stamp, stable, isMissing: false };
      if (!stats.isFile()) {
        const state = kind.unreadable(path, `path \`${path}\` is not a file`);
        return remember(path, { ...found, bytes: undefined, state });
      }
      const read = await readRegularFile(path, { maxBytes: kind.maxBytes, from: "own" });
      if (read.kind === "refused") {
        if (read.reason === "missing") return missing(path);
        const reason = read.reason === "tooLarge" ? tooLarge(stats, kind.maxBytes) : read.message;
        return remember(path, faulty(kind.unreadable(path, reason)));
      }
      const { bytes } = read;
      const state = known?.bytes?.equals(bytes) === true ? known.state : kind.parse(path, bytes);
      return remember(path, { ...found, bytes, state });
    } catch (error) {
      if (isMissing(error)) return missing(path);
      return remember(path, faulty(kind.unreadable(path, osErrorText(error))));
    }
  }

  function missing(path: string): S {
    const known = entries.get(path);
    if (known?.isMissing === true) return known.state;
    return remember(path, { ...faulty(kind.missing(path)), isMissing: true });
  }

  function remember(path: string, entry: Entry<S>): S {
    entries.delete(path);
    entries.set(path, entry);
    const [oldest] = entries.keys();
    if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
    return entry.state;
  }

  return { read };
}

/** Remembered without a stamp: looked at again next time. */
function faulty<S>(state: S): Entry<S> {
  return { stamp: "", stable: false, bytes: undefined, isMissing: false, state };
}

/** Whether the next change of the file is sure to change its stamp. */
export function isStable({ mtimeMs }: FileStats, clock: Pick<Clock, "now">): boolean {
  return clock.now() - Number(mtimeMs) > SETTLED_MS;
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Differs after a change, once the time of the last one has passed. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: FileStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
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
