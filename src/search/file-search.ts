/** The port for file search, in a worker thread or in this thread. */
export interface FileSearchHost {
  /** Starts to index everything below the roots. An empty query matches nothing, but the files are indexed. */
  open(request: FileSearchRequest, listener: FileSearchListener): FileSearch;
  /** Ends all open searches. */
  close(): Promise<void>;
}

export interface FileSearchRequest {
  readonly roots: readonly string[];
  readonly query: string;
}

export interface FileSearch {
  /** Changes the query; indexed files are not walked again. */
  update(query: string): void;
  /** Listeners are not called after this. */
  close(): void;
}

export interface FileSearchListener {
  /** The best matches so far; the last call before `onComplete` is final. */
  readonly onUpdate: (query: string, files: readonly FileMatch[]) => void;
  /** All files have been matched against this query. */
  readonly onComplete: (query: string) => void;
}

/** In wire format. */
export interface FileMatch {
  /** As passed in the request. */
  readonly root: string;
  readonly path: string;
  readonly match_type: "file" | "directory";
  readonly file_name: string;
  readonly score: number;
  readonly indices: number[];
}

export interface FileSearchOptions {
  /** The base of relative roots. */
  readonly cwd: string;
  /** The user's global ignore file, which applies in every repository; null for none. */
  readonly userIgnoreFile: string | null;
  /** The maximum number of indexed files per search; further files are ignored. */
  readonly maxFiles: number;
}

/** The number of reported matches. */
export const MAX_MATCHES = 50;
export const MAX_INDEXED_FILES = 500_000;
