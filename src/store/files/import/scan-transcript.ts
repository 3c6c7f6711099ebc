/** First pass over a transcript: collects the facts that the conversion of the first line needs. */
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { osErrorText } from "../../../base/errors.ts";
import { openRegularFile } from "../../../base/open-regular-file.ts";
import { forwardLines } from "../rollout/raw-lines.ts";
import { classifyUserText } from "./content-block.ts";
import {
  type Envelope,
  parseEntry,
  type TitleOrigin,
  type TranscriptEntry,
  type UserEntry,
} from "./transcript-entry.ts";

export interface TranscriptScan {
  /** The UUID in the file's name, else the session id in its lines. */
  readonly sessionId: string;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  readonly cwd: string | null;
  readonly version: string | null;
  readonly gitBranch: string | null;
  readonly title: string | null;
  /** User messages before which the user went back. */
  readonly abandoned: ReadonlySet<string>;
  /** Whether the main conversation has any entry. */
  readonly hasConversation: boolean;
  readonly lines: number;
}

interface Scanning {
  sessionId: string | null;
  firstMs: number | null;
  lastMs: number | null;
  cwd: string | null;
  version: string | null;
  gitBranch: string | null;
  hasConversation: boolean;
  lines: number;
  lastUuid: string | null;
  readonly titles: Map<TitleOrigin, string>;
  readonly summaries: Map<string, string>;
  readonly abandoned: Set<string>;
  /** The latest user message after each entry, by the id of the entry. */
  readonly promptAfter: Map<string, string>;
  /** The first user messages, one of which becomes the title of an untitled session. */
  readonly firstPrompts: { readonly uuid: string | null; readonly title: string }[];
}

/** Bounds the memory of the scan; a message after this many is not considered for the title. */
const MOST_FIRST_PROMPTS = 20;
const LONGEST_TITLE = 80;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function scanTranscript(path: string, to: number): Promise<TranscriptScan> {
  const scanning: Scanning = {
    sessionId: null,
    firstMs: null,
    lastMs: null,
    cwd: null,
    version: null,
    gitBranch: null,
    hasConversation: false,
    lines: 0,
    lastUuid: null,
    titles: new Map(),
    summaries: new Map(),
    abandoned: new Set(),
    promptAfter: new Map(),
    firstPrompts: [],
  };
  for await (const line of readTranscript(path, { to })) {
    scanning.lines += 1;
    if (line.kind === "entry") note(scanning, line.entry);
  }
  const { firstPrompts, titles, sessionId, firstMs, lastMs, cwd, version, gitBranch, abandoned } = scanning;
  const named = firstPrompts.find(({ uuid }) => uuid === null || !abandoned.has(uuid));
  const stem = basename(path).replace(/\.jsonl$/i, "");
  return {
    firstMs,
    lastMs,
    cwd,
    version,
    gitBranch,
    abandoned,
    hasConversation: scanning.hasConversation,
    lines: scanning.lines,
    sessionId: UUID.test(stem) ? stem.toLowerCase() : (sessionId ?? stem),
    title: titles.get("user") ?? titles.get("program") ?? titles.get("summary") ?? named?.title ?? null,
  };
}

function note(scanning: Scanning, entry: TranscriptEntry): void {
  if (entry.kind === "bookkeeping") return;
  if (entry.kind === "title") {
    // A summary is the title if its message directly precedes it or follows later in the file.
    const isHere =
      entry.origin !== "summary" || (entry.leafUuid !== null && entry.leafUuid === scanning.lastUuid);
    if (isHere) scanning.titles.set(entry.origin, entry.title);
    else if (entry.leafUuid !== null) scanning.summaries.set(entry.leafUuid, entry.title);
    return;
  }
  const { envelope } = entry;
  if (envelope.isSidechain) return;
  noteEnvelope(scanning, envelope);
  if (entry.kind === "user") notePrompt(scanning, entry);
  if (entry.kind === "user" || (entry.kind === "assistant" && !entry.isNotice))
    scanning.hasConversation = true;
}

function noteEnvelope(scanning: Scanning, envelope: Envelope): void {
  const { uuid, atMs } = envelope;
  scanning.lastUuid = uuid ?? scanning.lastUuid;
  scanning.sessionId = envelope.sessionId ?? scanning.sessionId;
  scanning.cwd ??= envelope.cwd;
  scanning.version = envelope.version ?? scanning.version;
  scanning.gitBranch = envelope.gitBranch ?? scanning.gitBranch;
  if (atMs !== null) {
    scanning.firstMs = Math.min(scanning.firstMs ?? atMs, atMs);
    scanning.lastMs = Math.max(scanning.lastMs ?? atMs, atMs);
  }
  const summary = uuid === null ? undefined : scanning.summaries.get(uuid);
  if (summary !== undefined) scanning.titles.set("summary", summary);
}

/** Of two user messages after the same entry, the later one replaced the earlier one. */
function notePrompt(scanning: Scanning, { envelope, blocks, isMeta, isQueued }: UserEntry): void {
  const { uuid, parentUuid } = envelope;
  const prompt =
    isMeta || isQueued || blocks.some(({ type }) => type === "toolResult")
      ? undefined
      : blocks.find((block) => block.type === "text" && classifyUserText(block.text).kind === "prompt");
  if (prompt?.type !== "text") return;
  if (scanning.firstPrompts.length < MOST_FIRST_PROMPTS)
    scanning.firstPrompts.push({ uuid, title: toTitle(prompt.text) });
  if (uuid === null || parentUuid === null) return;
  const earlier = scanning.promptAfter.get(parentUuid);
  if (earlier !== undefined && earlier !== uuid) scanning.abandoned.add(earlier);
  scanning.promptAfter.set(parentUuid, uuid);
}

/** The beginning of a message as one line. */
function toTitle(text: string): string {
  const line = text
    .trimStart()
    .slice(0, 4 * LONGEST_TITLE)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE).trimEnd()}…` : line;
}

export type ReadLine =
  | { readonly kind: "entry"; readonly lineNumber: number; readonly entry: TranscriptEntry }
  | { readonly kind: "bad"; readonly lineNumber: number; readonly reason: string };

export interface TranscriptReadOptions {
  /** Lines after this offset are not read, because the program may still be writing them. */
  readonly to: number;
  readonly maxLineBytes?: number;
}

export async function* readTranscript(
  path: string,
  options: TranscriptReadOptions,
): AsyncGenerator<ReadLine> {
  const opened = await openRegularFile(path);
  if (opened.kind === "refused") throw new Error(opened.message);
  const { file } = opened;
  let lineNumber = 0;
  try {
    const range = { from: 0, to: options.to };
    for await (const batch of forwardLines(file, range, options.maxLineBytes)) {
      for (const { text, terminated } of batch) {
        lineNumber += 1;
        const parsed =
          text === null
            ? ({ kind: "bad", reason: "too long" } as const)
            : parseEntry(text.replace(/^\uFEFF/, ""));
        if (parsed.kind === "entry") yield { kind: "entry", lineNumber, entry: parsed.entry };
        else if (parsed.kind === "bad")
          yield {
            kind: "bad",
            lineNumber,
            reason: terminated ? `bad line: ${parsed.reason}` : "bad line: cut off",
          };
      }
    }
  } finally {
    await file.close();
  }
}

/**
 * Returns a filter that gives the reason for omitting an entry, or null. If the user went back to an earlier message,
 * the abandoned branch is still in the file: descendants of an abandoned message are omitted too. Some versions write
 * entries twice.
 */
export function createEntryFilter(abandoned: ReadonlySet<string>): (entry: TranscriptEntry) => string | null {
  const seen = new Set<string>();
  const dropped = new Set<string>();
  return (entry) => {
    if (entry.kind === "title") return null;
    const { uuid, parentUuid, isSidechain } = entry.envelope;
    if (isSidechain) return "message of a sub-agent";
    if (uuid !== null && seen.has(uuid)) return "duplicate";
    if (uuid !== null) seen.add(uuid);
    const isDropped =
      (uuid !== null && abandoned.has(uuid)) || (parentUuid !== null && dropped.has(parentUuid));
    if (isDropped && uuid !== null) dropped.add(uuid);
    // Bookkeeping entries can be parents of other entries.
    if (entry.kind === "bookkeeping") return "bookkeeping entry";
    return isDropped ? "abandoned by the user" : null;
  };
}

export interface FoundTranscript {
  readonly path: string;
  readonly size: number;
}

export interface FoundTranscripts {
  readonly files: readonly FoundTranscript[];
  /** Files that are not sessions, and unreadable folders. */
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
}

/** The transcripts under the given folders, oldest first. A root may also be a file with any name. */
export async function findTranscripts(roots: readonly string[]): Promise<FoundTranscripts> {
  const files: (FoundTranscript & { readonly changedMs: number })[] = [];
  const leftOut: { path: string; reason: string }[] = [];
  const seen = new Set<string>();

  async function visit(path: string, isGiven: boolean): Promise<void> {
    if (seen.has(path)) return;
    seen.add(path);
    try {
      const status = await stat(path);
      if (status.isDirectory()) {
        for (const name of (await readdir(path)).sort()) await visit(join(path, name), false);
        return;
      }
      if (!isGiven && !path.endsWith(".jsonl")) return;
      if (!isGiven && isSubAgent(path)) leftOut.push({ path, reason: "transcript of a sub-agent" });
      else files.push({ path, size: status.size, changedMs: status.mtimeMs });
    } catch (error) {
      leftOut.push({ path, reason: `cannot be read: ${osErrorText(error)}` });
    }
  }

  for (const root of roots) await visit(root, true);
  files.sort((one, other) => one.changedMs - other.changedMs || (one.path < other.path ? -1 : 1));
  return { files: files.map(({ path, size }) => ({ path, size })), leftOut };
}

/** The result of the call that started a sub-agent contains its answer. */
function isSubAgent(path: string): boolean {
  return /(?:^|\/)(?:agent-[^/]*\.jsonl$|subagents\/)/.test(path);
}
