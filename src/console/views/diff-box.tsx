/** The change of one file, unified or side by side. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { FileUpdateChange } from "../../protocol/generated/types.ts";
import { Coloured, languageOf } from "../text/code.tsx";
import { changedRanges, type Diff, type DiffLine, pairLines, parseDiff } from "../text/diff.ts";
import { hasInvisible } from "../text/visible.ts";
import { Icon } from "../ui/icon.tsx";
import { VisibleText } from "../ui/visible-text.tsx";

/** Longer diffs are closed at first. */
const OPEN_LINES = 200;
const MAX_LINES = 4000;

/** One choice for all diffs of the page. */
const isSplit = signal(false);

export function DiffBox({ change: { path, kind, diff } }: { change: FileUpdateChange }) {
  const parsed = parseDiff(diff, kind.type === "add" ? "add" : kind.type === "delete" ? "del" : null);
  const count = parsed.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  const [isOpen, open] = useState(count <= OPEN_LINES);
  const moved = kind.type === "update" ? kind.move_path : null;
  return (
    <div class="box">
      <div class="boxh">
        <Icon name="file" />
        <code class="clip" dir="ltr">
          <VisibleText text={moved === null ? path : `${path} → ${moved}`} />
        </code>
        {kind.type === "add" && <span class="chip ok">new</span>}
        {kind.type === "delete" && <span class="chip bad">deleted</span>}
        <span class="fg-ok">+{parsed.added}</span>
        <span class="fg-bad">−{parsed.removed}</span>
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
        <DiffLines diff={parsed} path={path} />
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

const SIGNS = { same: "", add: "+", del: "−" } as const;

function UnifiedLines({ lines, language }: { lines: readonly DiffLine[]; language: string | null }) {
  const marks = marksOf(lines);
  return (
    <>
      {lines.map((line, index) => (
        <div key={index} class={`ln ${line.kind === "same" ? "" : line.kind}`}>
          <span class="g">{line.oldNumber}</span>
          <span class="g">{line.newNumber}</span>
          <span>{SIGNS[line.kind]}</span>
          <span>
            <LineText line={line} mark={marks.get(line) ?? null} language={language} />
          </span>
        </div>
      ))}
    </>
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

type Mark = { readonly from: number; readonly to: number } | null;

/** The changed words of lines that were replaced. */
function marksOf(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, Mark> {
  const marks = new Map<DiffLine, Mark>();
  for (const { left, right } of pairLines(lines)) {
    if (left === null || right === null || left.kind !== "del" || right.kind !== "add") continue;
    const [before, after] = changedRanges(left.text, right.text);
    marks.set(left, before);
    marks.set(right, after);
  }
  return marks;
}

function LineText({ line, mark, language }: { line: DiffLine; mark: Mark; language: string | null }) {
  const { text } = line;
  if (mark === null)
    return hasInvisible(text) ? <VisibleText text={text} /> : <Coloured text={text} language={language} />;
  return (
    <>
      <VisibleText text={text.slice(0, mark.from)} />
      <mark>
        <VisibleText text={text.slice(mark.from, mark.to)} />
      </mark>
      <VisibleText text={text.slice(mark.to)} />
    </>
  );
}
