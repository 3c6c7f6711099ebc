/**
 * The file with the pins of all hooks of a home, which no sandboxed command can write. Servers of one home
 * share it, and each write replaces it atomically. The peer does not use it.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../base/json-object.ts";
import { readRegularFileSync } from "../../base/read-regular-file.ts";
import { replaceFile, resolveWriteTarget } from "../../config/config-file.ts";
import type { Digest, PinRecord } from "./judge-content.ts";

export type Pins = ReadonlyMap<string, PinRecord>;

export interface PinFile {
  readonly path: string;
  /** Null where the file exists and cannot be parsed. */
  read(): Pins | null;
  /**
   * Edits the current content of the file, also when another process has written it. False where the write
   * fails.
   */
  change(edit: (pins: Map<string, PinRecord>) => void): Promise<boolean>;
}

const MAX_BYTES = 8 * 1024 * 1024;
/** Per hook. */
const MAX_FILES = 1024;
/** The hooks that were pinned first are evicted first. */
const MAX_HOOKS = 2048;
const ATTEMPTS = 50;

export function openPinFile(home: string, createId: () => string): PinFile {
  const path = join(home, "hook-pins.json");
  let seen = "";
  let known: Pins | null = new Map();

  function read(): Pins | null {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true });
    const mark =
      found === undefined ? "none" : `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
    if (mark !== seen) known = found === undefined ? new Map() : parsePins(readText(path) ?? "");
    seen = mark;
    return known;
  }

  return {
    path,
    read,
    async change(edit) {
      const target = await resolveWriteTarget(path);
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const text = readText(target);
        const pins = text === undefined ? new Map<string, PinRecord>() : parsePins(text);
        if (pins === null) return false;
        edit(pins);
        for (const oldest of pins.keys()) {
          if (pins.size <= MAX_HOOKS) break;
          pins.delete(oldest);
        }
        const outcome = await replaceFile({ target, text }, renderPins(pins), `.hook-pins.${createId()}`);
        if (outcome === "replaced") return true;
      }
      return false;
    },
  };
}

function readText(path: string): string | undefined {
  const read = readRegularFileSync(path, { maxBytes: MAX_BYTES });
  if (read.kind === "read") return read.bytes.toString("utf8");
  return read.reason === "missing" ? undefined : "";
}

function renderPins(pins: Pins): string {
  const hooks = [...pins].map(([hook, { files, isUnpinned, isPinnable }]) => ({
    hook,
    ...(isUnpinned && { unpinned: true }),
    ...(isPinnable && { settled: true }),
    files: [...files].slice(0, MAX_FILES),
  }));
  return `${JSON.stringify({ version: 1, hooks }, null, 1)}\n`;
}

/** Null for any malformed entry: then the whole file is rejected. */
export function parsePins(text: string): Map<string, PinRecord> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value) || value["version"] !== 1 || !Array.isArray(value["hooks"])) return null;
  const pins = new Map<string, PinRecord>();
  for (const entry of value["hooks"] as readonly unknown[]) {
    if (!isObject(entry) || typeof entry["hook"] !== "string" || !Array.isArray(entry["files"])) return null;
    const files = (entry["files"] as readonly unknown[]).map(parseFile);
    if (files.includes(null)) return null;
    pins.set(entry["hook"], {
      files: new Map(files.filter((file) => file !== null)),
      isUnpinned: entry["unpinned"] === true,
      isPinnable: entry["settled"] === true,
    });
  }
  return pins;
}

function parseFile(entry: unknown): readonly [path: string, digest: Digest] | null {
  if (!Array.isArray(entry)) return null;
  const [path, digest] = entry as readonly unknown[];
  if (typeof path !== "string" || typeof digest !== "string") return null;
  return /^(?:sha256:[0-9a-f]{64}|absent|folder|odd)$/.test(digest) ? [path, digest as Digest] : null;
}
