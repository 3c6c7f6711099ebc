/** A first look at a transcript as a whole: what has to be known before its first line can be converted. */
import { basename } from "node:path";
import { readTranscript } from "./read-transcript.ts";
import type { Envelope, TitleOrigin, TranscriptEntry, UserEntry } from "./transcript-entry.ts";
import { classifyUserText } from "./user-text.ts";

export interface TranscriptScan {
  /** The session's id: that of the file's name, or the one that its lines name. */
  readonly sessionId: string;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  readonly cwd: string | null;
  readonly version: string | null;
  readonly gitBranch: string | null;
  readonly title: string | null;
  /** Messages that the user has gone back behind. */
  readonly abandoned: ReadonlySet<string>;
  /** Whether there is anything of the main conversation. */
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
  /** By the entry before it, the latest message of the user. */
  readonly promptAfter: Map<string, string>;
}

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
  };
  for await (const line of readTranscript(path, { to })) {
    scanning.lines += 1;
    if (line.kind === "entry") note(scanning, line.entry);
  }
  const { titles, sessionId, firstMs, lastMs, cwd, version, gitBranch, abandoned } = scanning;
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
    title: titles.get("user") ?? titles.get("program") ?? titles.get("summary") ?? null,
  };
}

function note(scanning: Scanning, entry: TranscriptEntry): void {
  if (entry.kind === "bookkeeping") return;
  if (entry.kind === "title") {
    // A summary counts when the message it is about stands right before it, or turns up behind it.
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

/** Two messages of the user behind the same entry: the later one is what became of the conversation. */
function notePrompt(scanning: Scanning, { envelope, blocks, isMeta, isQueued }: UserEntry): void {
  const { uuid, parentUuid } = envelope;
  const isPrompt =
    !isMeta &&
    !isQueued &&
    blocks.some((block) => block.type === "text" && classifyUserText(block.text).kind === "prompt") &&
    !blocks.some((block) => block.type === "toolResult");
  if (!isPrompt || uuid === null || parentUuid === null) return;
  const earlier = scanning.promptAfter.get(parentUuid);
  if (earlier !== undefined && earlier !== uuid) scanning.abandoned.add(earlier);
  scanning.promptAfter.set(parentUuid, uuid);
}
