/** What a file is at one moment, as far as a diff can tell. */
export interface FileState {
  /** The content, or for a symbolic link where it points to. */
  readonly bytes: Buffer;
  readonly kind: "file" | "link";
  readonly executable: boolean;
}

/** What became of one file. `path` is absolute and names the file itself, not a link to it. */
export interface FileEdit {
  readonly path: string;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
  /** The file whose content this was made from: itself for an update, another for a move, none for a new file. */
  readonly madeFrom?: string;
}

export function sameState(a: FileState | undefined, b: FileState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.kind === b.kind && a.executable === b.executable && a.bytes.equals(b.bytes);
}

/** The mode that git records. */
export function gitMode(state: FileState): string {
  if (state.kind === "link") return "120000";
  return state.executable ? "100755" : "100644";
}

/** The name under which git would store the content. */
export function gitBlobId(bytes: Uint8Array): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
