/** The port through which files are searched, wherever that happens: in a thread of its own or in this one. */
export interface FileSearchHost {
  /** Begins to look at everything below the roots. An empty query finds nothing, but gets to know the files. */
  open(request: FileSearchRequest, listener: FileSearchListener): FileSearch;
  /** Ends every search that is left. */
  close(): Promise<void>;
}

export interface FileSearchRequest {
  readonly roots: readonly string[];
  readonly query: string;
}

export interface FileSearch {
  /** Asks for something else; what has been seen so far is not looked at again. */
  update(query: string): void;
  /** Nothing is reported after this. */
  close(): void;
}

export interface FileSearchListener {
  /** The best so far for a query; the last ones before `onComplete` are final. */
  readonly onUpdate: (query: string, files: readonly FileMatch[]) => void;
  /** Everything has been looked at with this query. */
  readonly onComplete: (query: string) => void;
}

/** In the form of the wire. */
export interface FileMatch {
  /** As it was given. */
  readonly root: string;
  readonly path: string;
  readonly match_type: "file" | "directory";
  readonly file_name: string;
  readonly score: number;
  readonly indices: number[];
}

export interface FileSearchOptions {
  /** The folder that relative roots start from. */
  readonly cwd: string;
  /** The user's own ignore file, which holds in every repository; null for none. */
  readonly userIgnoreFile: string | null;
  /** How many files are remembered of one search; what is found after them is left out. */
  readonly maxFiles: number;
}

/** The best that are reported. */
export const MAX_MATCHES = 50;
export const MAX_FILES = 500_000;
