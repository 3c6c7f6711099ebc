/** Imports one transcript as one thread. Its file appears in the home only when it is complete. */
import { stat } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";
import { osErrorText } from "../../../base/errors.ts";
import { numberMember, objectMember } from "../../../base/json-members.ts";
import { appendSync } from "../../../base/open-regular-file.ts";
import { type LineBody, prepareLine } from "../../lines/line.ts";
import { sessionMeta } from "../../lines/thread-lines.ts";
import { namingLine, sessionIndexPath } from "../index/session-index.ts";
import { IMPORT_SUFFIX } from "../repair/examine-file.ts";
import { type AtomicFile, openAtomicFile } from "../rollout/atomic-file.ts";
import { findThreadRollout } from "../rollout/find-rollouts.ts";
import { openRollout } from "../rollout/reader.ts";
import { plainFiles } from "../rollout/rollout-files.ts";
import { rolloutPath } from "../rollout/rollout-name.ts";
import { Converter } from "./converter.ts";
import { importedThreadId } from "./imported-id.ts";
import { createEntryFilter, readTranscript, scanTranscript, type TranscriptScan } from "./scan-transcript.ts";
import { type DatedLine, firstWindowId } from "./turn-writer.ts";

export interface ImportOptions {
  readonly home: string;
  /** The provider with which imported threads continue. */
  readonly modelProvider: string | null;
  /** Used for sessions without a working directory. */
  readonly cwd: string;
  /** Imports only sessions in this folder or below it. */
  readonly project: string | null;
  /** Imports only sessions with an entry at or after this time. */
  readonly sinceMs: number | null;
  readonly dryRun: boolean;
  /** Called for each omitted line or part of one. */
  readonly onSkip: (reason: string, path: string, lineNumber: number) => void;
}

export type ImportOutcome =
  | {
      readonly kind: "imported";
      readonly threadId: string;
      readonly title: string | null;
      readonly cwd: string;
      readonly turns: number;
      readonly items: number;
    }
  /** The session may have grown since its import; the thread is not changed. */
  | { readonly kind: "known"; readonly threadId: string; readonly hasGrown: boolean }
  | { readonly kind: "leftOut"; readonly reason: string }
  | { readonly kind: "failed"; readonly message: string };

interface Session {
  readonly path: string;
  readonly size: number;
  readonly scan: TranscriptScan;
  readonly threadId: string;
  readonly createdAtMs: number;
  readonly cwd: string;
}

export async function importTranscript(path: string, options: ImportOptions): Promise<ImportOutcome> {
  try {
    const status = await stat(path);
    if (!status.isFile()) return { kind: "leftOut", reason: "not a file" };
    const { project, sinceMs, home } = options;
    // An entry cannot be newer than the file's modification time.
    if (sinceMs !== null && status.mtimeMs < sinceMs)
      return { kind: "leftOut", reason: "older than --since" };
    const scan = await scanTranscript(path, status.size);
    const reason = reasonToSkip(scan, project, sinceMs);
    if (reason !== null) return { kind: "leftOut", reason };
    const createdAtMs = scan.firstMs ?? Math.floor(status.mtimeMs);
    const threadId = importedThreadId(scan.sessionId, createdAtMs);
    const known = await findThreadRollout(home, threadId);
    if (known !== null) {
      return { kind: "known", threadId, hasGrown: (await importedBytes(known.path)) < status.size };
    }
    const cwd = scan.cwd !== null && isAbsolute(scan.cwd) ? scan.cwd : options.cwd;
    return await convert({ path, size: status.size, scan, threadId, createdAtMs, cwd }, options);
  } catch (error) {
    return { kind: "failed", message: `${path}: ${osErrorText(error)}` };
  }
}

function reasonToSkip(scan: TranscriptScan, project: string | null, sinceMs: number | null): string | null {
  if (scan.lines === 0) return "empty";
  if (!scan.hasConversation) return "contains no conversation";
  if (sinceMs !== null && scan.lastMs !== null && scan.lastMs < sinceMs) return "older than --since";
  const isElsewhere = project !== null && (scan.cwd === null || !isWithin(project, scan.cwd));
  return isElsewhere ? "belongs to another project" : null;
}

function isWithin(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return relativePath !== ".." && !relativePath.startsWith("../") && !isAbsolute(relativePath);
}

async function convert(session: Session, options: ImportOptions): Promise<ImportOutcome> {
  const { threadId, scan, cwd } = session;
  const file = options.dryRun
    ? null
    : await openAtomicFile({ path: rolloutPath(options.home, session), suffix: IMPORT_SUFFIX });
  try {
    const { turns, items, lastMs } = await writeLines(session, options, file);
    if (turns === 0) {
      await file?.discard();
      return { kind: "leftOut", reason: "contains no conversation" };
    }
    if (scan.title !== null && file !== null) await nameThread(options.home, threadId, scan.title, lastMs);
    await file?.seal();
    await file?.commit({ modifiedAt: new Date(lastMs) });
    return { kind: "imported", threadId, title: scan.title, cwd, turns, items };
  } catch (error) {
    await file?.discard();
    throw error;
  }
}

async function writeLines(session: Session, options: ImportOptions, file: AtomicFile | null) {
  const { path, size, scan, threadId, createdAtMs, cwd } = session;
  const place = { lineNumber: 0 };
  const onSkip = (reason: string): void => options.onSkip(reason, path, place.lineNumber);
  const admit = createEntryFilter(scan.abandoned);
  const converter = new Converter({ threadId, createdAtMs, cwd, onSkip });
  let ordinal = 0;
  let lastMs = createdAtMs;
  const write = async ({ body, atMs }: DatedLine): Promise<void> => {
    await file?.write(prepareLine(body, atMs).withOrdinal(ordinal));
    ordinal += 1;
    lastMs = atMs;
  };
  await write({ body: firstLine(session, options), atMs: createdAtMs });
  for await (const line of readTranscript(path, { to: size })) {
    place.lineNumber = line.lineNumber;
    const reason = line.kind === "bad" ? line.reason : admit(line.entry);
    if (reason !== null) onSkip(reason);
    else if (line.kind === "entry") converter.take(line.entry);
    for (const each of converter.drain()) await write(each);
  }
  converter.finish();
  for (const each of converter.drain()) await write(each);
  return { turns: converter.turns, items: converter.items, lastMs };
}

function firstLine(
  { path, size, scan, threadId, createdAtMs, cwd }: Session,
  options: ImportOptions,
): LineBody {
  const { sessionId, gitBranch, version } = scan;
  const meta = sessionMeta({
    threadId,
    createdAtMs,
    cwd,
    workspaceRoots: [cwd],
    originator: "claude-code",
    version: version ?? "unknown",
    source: "cli",
    threadSource: "claude-code",
    modelProvider: options.modelProvider,
    baseInstructions: null,
    windowId: firstWindowId(threadId),
    git: gitBranch === null ? null : { sha: null, branch: gitBranch, originUrl: null },
  });
  const imported = { program: "claude-code", session_id: sessionId, path, bytes: size };
  return { ...meta, payload: { ...meta.payload, imported_from: imported } } as LineBody;
}

/** The size of the transcript at the time of its import. */
async function importedBytes(path: string): Promise<number> {
  const opened = await openRollout(plainFiles, path);
  if (opened.kind === "unreadable") return Number.POSITIVE_INFINITY;
  try {
    for await (const { line } of opened.reader.lines()) {
      return (
        numberMember(objectMember(line.payload, "imported_from") ?? {}, "bytes") ?? Number.POSITIVE_INFINITY
      );
    }
    return Number.POSITIVE_INFINITY;
  } finally {
    await opened.reader.close();
  }
}

async function nameThread(home: string, threadId: string, title: string, atMs: number): Promise<void> {
  appendSync(sessionIndexPath(home), namingLine(threadId, title, atMs), 0o600);
}

// Omitted parts by reason, with a count and the first location.

export interface SkipReason {
  readonly reason: string;
  readonly count: number;
  /** `file:line`, or only the file. */
  readonly first: string;
}

export interface SkipTally {
  add(reason: string, place: string): void;
  /** Most frequent first. */
  readonly all: readonly SkipReason[];
}

export function createSkipTally(): SkipTally {
  const known = new Map<string, SkipReason>();
  return {
    add(reason, place) {
      const before = known.get(reason);
      known.set(reason, { reason, count: (before?.count ?? 0) + 1, first: before?.first ?? place });
    },
    get all() {
      return [...known.values()].sort((one, other) => other.count - one.count);
    },
  };
}
