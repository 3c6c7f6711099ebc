/** The hunks of a unified diff in the form in which Claude Code tells them. */
import type { FileUpdateChange } from "../../protocol/generated/types.ts";

export interface PatchHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** With their signs. */
  readonly lines: readonly string[];
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u;
const SIGNS = " +-\\";

/** What became of a file that was there before; null where no diff of it is known. */
export function structuredPatchOf(
  path: string,
  changes: readonly FileUpdateChange[],
): readonly PatchHunk[] | null {
  const change = changes.find(
    ({ path: own, kind }) => kind.type === "update" && (own === path || kind.move_path === path),
  );
  return change === undefined ? null : parseHunks(change.diff);
}

/** Whatever stands between or behind hunks is left out. */
function parseHunks(diff: string): readonly PatchHunk[] {
  const hunks: (PatchHunk & { readonly lines: string[] })[] = [];
  let isWithin = false;
  for (const line of diff.split("\n")) {
    const header = HEADER.exec(line);
    if (header !== null) {
      const [oldStart = 0, oldLines = 1, newStart = 0, newLines = 1] = header
        .slice(1)
        .map((digits?: string) => (digits === undefined ? undefined : Number(digits)));
      hunks.push({ oldStart, oldLines, newStart, newLines, lines: [] });
      isWithin = true;
      continue;
    }
    isWithin &&= line !== "" && SIGNS.includes(line.charAt(0));
    if (isWithin) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}
