/** Imports transcripts one after the other, and tells what became of each. */
import {
  createSkipTally,
  findTranscripts,
  type ImportOptions,
  type ImportOutcome,
  importTranscript,
  type SkipReason,
} from "../../store/open/home-maintenance.ts";

export interface ImportedThread {
  readonly path: string;
  readonly threadId: string;
  readonly title: string | null;
  readonly cwd: string;
  readonly turns: number;
  readonly items: number;
}

export interface ImportReport {
  readonly dryRun: boolean;
  readonly files: number;
  readonly imported: readonly ImportedThread[];
  readonly alreadyImported: number;
  /** Sessions that went on after they were imported. */
  readonly grown: readonly { readonly path: string; readonly threadId: string }[];
  readonly failed: readonly string[];
  /** Whole files. */
  readonly skippedFiles: readonly SkipReason[];
  /** Lines, or parts of lines, of files that were imported. */
  readonly skippedLines: readonly SkipReason[];
}

export interface ImportWatcher {
  progress(doneBytes: number, totalBytes: number, path: string): void;
  outcome(path: string, outcome: ImportOutcome): void;
}

export async function runImport(
  roots: readonly string[],
  options: Omit<ImportOptions, "onSkip">,
  watcher: ImportWatcher,
): Promise<ImportReport> {
  const { files, leftOut } = await findTranscripts(roots);
  const skippedFiles = createSkipTally();
  const skippedLines = createSkipTally();
  for (const { path, reason } of leftOut) skippedFiles.add(reason, path);
  const imported: ImportedThread[] = [];
  const grown: { path: string; threadId: string }[] = [];
  const failed: string[] = [];
  const made = new Set<string>();
  let alreadyImported = 0;
  let doneBytes = 0;
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  const onSkip = (reason: string, path: string, lineNumber: number): void =>
    skippedLines.add(reason, `${path}:${lineNumber}`);

  for (const { path, size } of files) {
    watcher.progress(doneBytes, totalBytes, path);
    const outcome = await importTranscript(path, { ...options, onSkip });
    doneBytes += size;
    watcher.outcome(path, outcome);
    if (outcome.kind === "leftOut") skippedFiles.add(outcome.reason, path);
    else if (outcome.kind === "failed") failed.push(outcome.message);
    else if (made.has(outcome.threadId)) skippedFiles.add("same session as another file", path);
    else if (outcome.kind === "known") {
      alreadyImported += 1;
      if (outcome.hasGrown) grown.push({ path, threadId: outcome.threadId });
    } else {
      made.add(outcome.threadId);
      const { kind: _kind, ...thread } = outcome;
      imported.push({ path, ...thread });
    }
  }
  watcher.progress(totalBytes, totalBytes, "");
  return {
    dryRun: options.dryRun,
    files: files.length,
    imported,
    alreadyImported,
    grown,
    failed,
    skippedFiles: skippedFiles.all,
    skippedLines: skippedLines.all,
  };
}
