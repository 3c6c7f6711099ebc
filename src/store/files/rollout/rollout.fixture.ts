// A temporary folder for each test, and lines as the engine writes them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ThreadItem } from "../../../protocol/generated/types.ts";
import { type LineBody, prepareLine } from "../../lines/line.ts";
import { itemCompleted } from "../../lines/turn-lines.ts";
import { type FileOrigin, fileMeta } from "./file-meta.ts";
import { type LocatedLine, openRollout, type ReaderOptions, type RolloutReader } from "./reader.ts";
import { plainFiles } from "./rollout-files.ts";

export const THREAD = "01a1de85-c6e8-7cd1-a911-8f3f8697f72b";
export const NOW = Date.UTC(2026, 10, 15, 9, 24, 31, 595);
export const clock = { now: () => NOW };

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-rollout-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function meta(members: Partial<FileOrigin> = {}): LineBody {
  return fileMeta({
    threadId: THREAD,
    createdAtMs: NOW,
    cwd: "/repo",
    workspaceRoots: ["/repo"],
    originator: "test",
    version: "1.0.0",
    source: "vscode",
    modelProvider: "mock",
    baseInstructions: "Be brief.",
    historyMode: "paginated",
    ...members,
  });
}

export function itemLine(turnId: string, item: ThreadItem): LineBody {
  return itemCompleted({ threadId: THREAD, turnId, item, startedAtMs: 100_000, completedAtMs: 100_001 });
}

/** The text of a file with these lines. */
export function fileText(bodies: readonly LineBody[], { legacy = false, firstOrdinal = 0 } = {}): string {
  return bodies
    .map((body, at) => prepareLine(body, NOW).withOrdinal(legacy ? null : firstOrdinal + at))
    .join("");
}

export async function openReader(path: string, options: ReaderOptions = {}): Promise<RolloutReader> {
  const opened = await openRollout(plainFiles, path, options);
  if (opened.kind === "unreadable") throw new Error(opened.message);
  onTestFinished(() => opened.reader.close());
  return opened.reader;
}

export async function readAll(path: string, options: ReaderOptions = {}): Promise<LocatedLine[]> {
  const lines: LocatedLine[] = [];
  for await (const line of (await openReader(path, options)).lines()) lines.push(line);
  return lines;
}

export async function ordinalsOf(path: string): Promise<(number | undefined)[]> {
  return (await readAll(path)).map(({ line }) => line.ordinal);
}
