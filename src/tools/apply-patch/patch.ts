/** A patch as the model wrote it: its hunks in order, one for each file. */
export interface Patch {
  readonly hunks: readonly Hunk[];
  readonly environmentId: string | undefined;
}

export type Hunk =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly path: string }
  | UpdateHunk;

export interface UpdateHunk {
  readonly kind: "update";
  readonly path: string;
  readonly moveTo: string | undefined;
  readonly chunks: readonly Chunk[];
}

export interface Chunk {
  /** A line of the file that comes somewhere before the chunk. */
  readonly header: string | undefined;
  readonly lines: readonly ChunkLine[];
  readonly atEnd: boolean;
}

export interface ChunkLine {
  readonly kind: "context" | "removed" | "added";
  readonly text: string;
}
