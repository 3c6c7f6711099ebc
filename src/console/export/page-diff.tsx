/** The change of one file on a page; a long one is closed. */
import type { FileUpdateChange } from "../../protocol/generated/types.ts";
import { DiffHead, parseChange } from "../parts/diff-head.tsx";
import { UnifiedLines } from "../parts/diff-lines.tsx";
import { languageOf } from "../text/code.tsx";
import type { Diff } from "../text/diff.ts";

const OPEN_LINES = 200;
const MAX_LINES = 4000;

export function PageDiff({ change }: { change: FileUpdateChange }) {
  const diff = parseChange(change);
  const count = diff.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  const lines = <DiffLines diff={diff} path={change.path} />;
  return (
    <div class="box">
      <div class="boxh">
        <DiffHead change={change} diff={diff} />
      </div>
      {count <= OPEN_LINES ? (
        lines
      ) : (
        <details>
          <summary class="boxf">{count} lines</summary>
          {lines}
        </details>
      )}
    </div>
  );
}

function DiffLines({ diff, path }: { diff: Diff; path: string }) {
  const language = languageOf(path);
  let left = MAX_LINES;
  return (
    <div class="diff wrap" tabIndex={0} role="region" aria-label={`Changes of ${path}`} dir="ltr">
      {diff.hunks.map(({ header, lines }, index) => {
        const shown = lines.slice(0, Math.max(0, left));
        left -= lines.length;
        return (
          <div key={index}>
            {header !== "" && <div class="hunk">{header}</div>}
            <UnifiedLines lines={shown} language={language} />
          </div>
        );
      })}
      {left < 0 && <div class="hunk">{-left} more lines are not in this file</div>}
    </div>
  );
}
