/**
 * Reads the text of a patch. Only its form is checked here; whether it fits the files is found out later.
 *
 *     *** Begin Patch
 *     *** Environment ID: id              at most once, before the first hunk
 *     *** Add File: path                  then lines that start with +
 *     *** Delete File: path
 *     *** Update File: path               then an optional "*** Move to: path" and at least one chunk
 *     @@ line that comes before           or a bare @@; may be left out before the first chunk
 *      context, -removed, +added
 *     *** End of File                     the chunk ends where the file ends
 *     *** End Patch
 *
 * White space around the marker lines is forgiven, and so is a heredoc around the whole.
 */
import { type Hunk, type Patch, trim, trimEnd } from "./patch.ts";
import {
  END_PATCH,
  type HunkDraft,
  type HunkFault,
  readUpdateLine,
  unfinishedUpdate,
} from "./read-update-line.ts";

export type ParsedPatch =
  | { readonly kind: "patch"; readonly patch: Patch }
  | { readonly kind: "invalid"; readonly message: string };

const BEGIN_PATCH = "*** Begin Patch";
const ENVIRONMENT_ID = "*** Environment ID:";
const NO_BEGIN = `The first line of the patch must be '${BEGIN_PATCH}'`;
const NO_END = `The last line of the patch must be '${END_PATCH}'`;
const HEADERS = [
  ["add", "*** Add File: "],
  ["delete", "*** Delete File: "],
  ["update", "*** Update File: "],
] as const;
const HEREDOC_STARTS = new Set(["<<EOF", "<<'EOF'", '<<"EOF"']);

interface State {
  readonly drafts: HunkDraft[];
  environmentId: string | undefined;
  ended: boolean;
}

/** A parse error about the patch as a whole, or about the hunk in a line. */
export type PatchFault = { readonly about: "patch"; readonly text: string } | HunkFault;

export function parsePatch(
  text: string,
  describe: (fault: PatchFault) => string = describeFault,
): ParsedPatch {
  const invalid = (fault: PatchFault): ParsedPatch => ({ kind: "invalid", message: describe(fault) });
  const lines = withoutHeredoc(trim(text).split("\n").map(withoutReturn));
  const boundary = boundaryFault(lines);
  if (boundary !== undefined) return invalid({ about: "patch", text: boundary });

  const state: State = { drafts: [], environmentId: undefined, ended: false };
  for (const [index, line] of lines.entries()) {
    const fault = index === 0 ? undefined : readLine(state, line, index + 1, index === lines.length - 1);
    if (fault !== undefined) return invalid(fault);
  }
  return {
    kind: "patch",
    patch: { hunks: state.drafts.map(toHunk), environmentId: state.environmentId },
  };
}

function readLine(state: State, line: string, number: number, isLast: boolean): PatchFault | undefined {
  if (isLast) return endPatch(state, number);
  const bare = trim(line);
  if (state.ended) return bare === "" ? undefined : { about: "patch", text: NO_END };

  const draft = state.drafts.at(-1);
  if (draft?.kind === "update") {
    // An indented marker inside of an update is a context line.
    const marker = readMarker(state, trimEnd(line), number);
    return marker === "other" ? readUpdateLine(draft, line, number) : marker;
  }
  const marker = readMarker(state, bare, number);
  if (marker !== "other") return marker;
  if (draft?.kind === "add" && line.startsWith("+")) {
    draft.lines.push(line.slice(1));
    return undefined;
  }
  const valid = HEADERS.map(([, header]) => `'${header}{path}'`).join(", ");
  return {
    about: "hunk",
    line: number,
    text: `'${bare}' is not a valid hunk header. Valid hunk headers: ${valid}`,
  };
}

function readMarker(state: State, line: string, number: number): PatchFault | undefined | "other" {
  if (state.drafts.length === 0 && line.startsWith(ENVIRONMENT_ID)) return readEnvironment(state, line);
  if (line === END_PATCH) return endPatch(state, number);
  for (const [kind, header] of HEADERS) {
    if (!line.startsWith(header)) continue;
    const fault = unfinishedUpdate(state.drafts.at(-1), line, number);
    if (fault !== undefined) return fault;
    const path = line.slice(header.length);
    state.drafts.push({ kind, path, line: number, lines: [], moveTo: undefined, chunks: [] });
    return undefined;
  }
  return "other";
}

function readEnvironment(state: State, line: string): PatchFault | undefined {
  if (state.environmentId !== undefined) {
    return { about: "patch", text: "apply_patch environment_id cannot be specified more than once" };
  }
  const id = trim(line.slice(ENVIRONMENT_ID.length));
  if (id === "") return { about: "patch", text: "apply_patch environment_id cannot be empty" };
  state.environmentId = id;
  return undefined;
}

function endPatch(state: State, number: number): PatchFault | undefined {
  state.ended = true;
  return unfinishedUpdate(state.drafts.at(-1), END_PATCH, number);
}

function boundaryFault(lines: readonly string[]): string | undefined {
  if (trim(lines[0] ?? "") !== BEGIN_PATCH) return NO_BEGIN;
  return trim(lines.at(-1) ?? "") === END_PATCH ? undefined : NO_END;
}

function withoutHeredoc(lines: readonly string[]): readonly string[] {
  if (lines.length < 4 || !HEREDOC_STARTS.has(lines[0] ?? "")) return lines;
  if (!lines.at(-1)?.endsWith("EOF")) return lines;
  return lines.slice(1, -1);
}

function withoutReturn(line: string): string {
  return line.replace(/\r{1,2}$/, "");
}

function toHunk(draft: HunkDraft): Hunk {
  const { path } = draft;
  switch (draft.kind) {
    case "add":
      return { kind: "add", path, text: draft.lines.map((line) => `${line}\n`).join("") };
    case "delete":
      return { kind: "delete", path };
    case "update":
      return { kind: "update", path, moveTo: draft.moveTo, chunks: draft.chunks };
  }
}

function describeFault(fault: PatchFault): string {
  const prefix = fault.about === "patch" ? "invalid patch: " : `invalid hunk at line ${fault.line}, `;
  return prefix + fault.text;
}
