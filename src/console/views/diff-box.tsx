/** The change of one file, unified or side by side. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { FileUpdateChange } from "../../protocol/generated/types.ts";
import { DiffHead, parseChange } from "../parts/diff-head.tsx";
import { LineText, marksOf, SIGNS, UnifiedLines } from "../parts/diff-lines.tsx";
import { languageOf } from "../text/code.tsx";
import { type Diff, type DiffLine, pairLines } from "../text/diff.ts";

/** Longer diffs are closed at first. */
const OPEN_LINES = 200;
const MAX_LINES = 4000;

/** One choice for all diffs of the page. */
const isSplit = signal(false);

export function DiffBox({ change }: { change: FileUpdateChange }) {
  const parsed = parseChange(change);
  const count = parsed.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  const [isOpen, open] = useState(count <= OPEN_LINES);
  return (
    <div class="box">
      <div class="boxh">
        <DiffHead change={change} diff={parsed} />
        <span class="grow" />
        <span class="seg" role="group" aria-label="Diff layout" data-diff>
          {[false, true].map((split) => (
            <button
              key={String(split)}
              type="button"
              aria-pressed={isSplit.value === split}
              onClick={() => {
                isSplit.value = split;
              }}
            >
              {split ? "Split" : "Unified"}
            </button>
          ))}
        </span>
      </div>
      {isOpen ? (
        <DiffLines diff={parsed} path={change.path} />
      ) : (
        <div class="boxf">
          <button class="btn plain" type="button" onClick={() => open(true)}>
            Show {count} lines
          </button>
        </div>
      )}
    </div>
  );
}

function DiffLines({ diff, path }: { diff: Diff; path: string }) {
  const language = languageOf(path);
  let left = MAX_LINES;
  return (
    <div
      class={`diff ${isSplit.value ? "" : "wrap"}`}
      tabIndex={0}
      role="region"
      aria-label={`Changes of ${path}`}
      dir="ltr"
    >
      {diff.hunks.map(({ header, lines }, index) => {
        const shown = lines.slice(0, Math.max(0, left));
        left -= lines.length;
        return (
          <div key={index}>
            {header !== "" && <div class="hunk">{header}</div>}
            {isSplit.value ? (
              <SplitLines lines={shown} />
            ) : (
              <UnifiedLines lines={shown} language={language} />
            )}
          </div>
        );
      })}
      {left < 0 && <div class="hunk">{-left} more lines are not shown</div>}
    </div>
  );
}

function SplitLines({ lines }: { lines: readonly DiffLine[] }) {
  const marks = marksOf(lines);
  const side = (line: DiffLine | null, number: number | null) => {
    const style = line === null ? "none" : line.kind === "same" ? "" : line.kind;
    return (
      <>
        <span class={`g ${style}`}>{number}</span>
        <span class={`sg ${style}`}>{line === null ? "" : SIGNS[line.kind]}</span>
        <span class={`tx ${style}`}>
          {line !== null && <LineText line={line} mark={marks.get(line) ?? null} language={null} />}
        </span>
      </>
    );
  };
  return (
    <>
      {pairLines(lines).map(({ left, right }, index) => (
        <div key={index} class={`pair ${left?.kind === "same" ? "same" : ""}`}>
          {side(left, left?.oldNumber ?? null)}
          {side(right, right?.newNumber ?? null)}
        </div>
      ))}
    </>
  );
}
