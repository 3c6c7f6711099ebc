/** Imports transcripts sequentially, and reports the outcome of each. */
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
  /** Sessions with new turns since their import. */
  readonly grown: readonly { readonly path: string; readonly threadId: string }[];
  readonly failed: readonly string[];
  /** Counts of whole files. */
  readonly skippedFiles: readonly SkipReason[];
  /** Counts of lines, or parts of lines, of imported files. */
  readonly skippedLines: readonly SkipReason[];
}

export interface ImportObserver {
  progress(doneBytes: number, totalBytes: number, path: string): void;
  outcome(path: string, outcome: ImportOutcome): void;
}

export async function runImport(
  roots: readonly string[],
  options: Omit<ImportOptions, "onSkip">,
  observer: ImportObserver,
): Promise<ImportReport> {
  const { files, leftOut } = await findTranscripts(roots);
  const skippedFiles = createSkipTally();
  const skippedLines = createSkipTally();
  for (const { path, reason } of leftOut) skippedFiles.add(reason, path);
  const imported: ImportedThread[] = [];
  const grown: { path: string; threadId: string }[] = [];
  const failed: string[] = [];
  const importedIds = new Set<string>();
  let alreadyImported = 0;
  let doneBytes = 0;
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  const onSkip = (reason: string, path: string, lineNumber: number): void =>
    skippedLines.add(reason, `${path}:${lineNumber}`);

  for (const { path, size } of files) {
    observer.progress(doneBytes, totalBytes, path);
    const outcome = await importTranscript(path, { ...options, onSkip });
    doneBytes += size;
    observer.outcome(path, outcome);
    if (outcome.kind === "leftOut") skippedFiles.add(outcome.reason, path);
    else if (outcome.kind === "failed") failed.push(outcome.message);
    else if (importedIds.has(outcome.threadId)) skippedFiles.add("same session as another file", path);
    else if (outcome.kind === "known") {
      alreadyImported += 1;
      if (outcome.hasGrown) grown.push({ path, threadId: outcome.threadId });
    } else {
      importedIds.add(outcome.threadId);
      const { kind: _kind, ...thread } = outcome;
      imported.push({ path, ...thread });
    }
  }
  observer.progress(totalBytes, totalBytes, "");
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
