// Reads TOML files and keeps the result until the file changes. A stale answer is worse than a slow
// one: a file that was changed a moment ago is read again, because the next change may leave the
// same time stamp and size behind.
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
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

export interface FileCache {
  /** The same object as long as the file stays the same. */
  read(path: string): Promise<FileState>;
}

/** Time stamps of the coarsest file systems in use count in steps of two seconds. */
const SETTLED_MS = 2000;

interface Entry {
  readonly stamp: string;
  readonly settled: boolean;
  readonly bytes: Buffer | undefined;
  readonly state: FileState;
}

/** Files of projects that nobody works in any more are forgotten. */
const MAX_ENTRIES = 256;

export function createFileCache(clock: Clock): FileCache {
  const entries = new Map<string, Entry>();

  async function read(path: string): Promise<FileState> {
    try {
      const stats = await stat(path, { bigint: true });
      const known = entries.get(path);
      const stamp = stampOf(stats);
      if (known?.stamp === stamp && known.settled) return known.state;
      const settled = clock.now() - Number(stats.mtimeMs) > SETTLED_MS;
      if (!stats.isFile()) return remember(path, { stamp, settled, bytes: undefined, state: notAFile(path) });
      const read = await readRegularFile(path, { maxBytes: MAX_CONFIG_FILE_BYTES, from: "own" });
      if (read.kind === "refused") {
        if (read.reason === "missing") return missing(path);
        const reason = read.reason === "tooLarge" ? tooLarge(stats) : read.message;
        return remember(path, faulty(unreadable(path, reason)));
      }
      const { bytes } = read;
      if (known?.bytes?.equals(bytes) === true) return remember(path, { ...known, stamp, settled });
      return remember(path, { stamp, settled, bytes, state: stateOf(path, bytes) });
    } catch (error) {
      return isMissing(error) ? missing(path) : remember(path, faulty(unreadable(path, osErrorText(error))));
    }
  }

  function missing(path: string): FileState {
    const known = entries.get(path)?.state;
    return known?.kind === "missing" ? known : remember(path, faulty({ kind: "missing", path }));
  }

  function remember(path: string, entry: Entry): FileState {
    entries.delete(path);
    entries.set(path, entry);
    const [oldest] = entries.keys();
    if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
    return entry.state;
  }

  return { read };
}

/** Remembered without a stamp: looked at again next time. */
function faulty(state: FileState): Entry {
  return { stamp: "", settled: false, bytes: undefined, state };
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

function tooLarge({ size }: BigIntStats): string {
  return `its ${size} bytes are more than the limit of ${MAX_CONFIG_FILE_BYTES}`;
}

function stateOf(path: string, bytes: Buffer): FileState {
  const decoded = decodeText(bytes);
  if (!decoded.ok) return unreadable(path, decoded.reason);
  const parsed = parseToml(decoded.text, path);
  if (!parsed.ok) return { kind: "fault", fault: parsed.fault, text: decoded.text };
  return { kind: "table", path, text: decoded.text, table: parsed.table };
}

function notAFile(path: string): FileState {
  return unreadable(path, `path \`${path}\` is not a file`);
}

function unreadable(path: string, reason: string): FileState {
  return { kind: "fault", fault: { message: `Failed to read config file ${path}: ${reason}` } };
}
