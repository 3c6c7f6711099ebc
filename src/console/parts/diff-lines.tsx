/** The lines of a diff below each other, and the changed words in them. */
import { Coloured } from "../text/code.tsx";
import { changedRanges, type DiffLine, pairLines } from "../text/diff.ts";
import { hasInvisible } from "../text/visible.ts";
import { VisibleText } from "../ui/visible-text.tsx";

export const SIGNS = { same: "", add: "+", del: "−" } as const;

export function UnifiedLines({ lines, language }: { lines: readonly DiffLine[]; language: string | null }) {
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

type Mark = { readonly from: number; readonly to: number } | null;

/** The changed words of lines that were replaced. */
export function marksOf(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, Mark> {
  const marks = new Map<DiffLine, Mark>();
  for (const { left, right } of pairLines(lines)) {
    if (left === null || right === null || left.kind !== "del" || right.kind !== "add") continue;
    const [before, after] = changedRanges(left.text, right.text);
    marks.set(left, before);
    marks.set(right, after);
  }
  return marks;
}

export function LineText({ line, mark, language }: { line: DiffLine; mark: Mark; language: string | null }) {
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
