/** The coverage matrix of hooks as the part of a page between two marks. */
import { withGeneratedPart } from "../src/base/generated-part.ts";
import { markdownTable } from "../src/base/markdown-table.ts";
import {
  CALL_KINDS,
  type CallKind,
  type CoverageCell,
  PROMPT_KINDS,
  type PromptKind,
} from "../src/hooks/events/coverage.ts";
import { hookEvents } from "../src/hooks/events/index.ts";

/** Throws where the page has no such part. */
export function withCoverage(page: string): string {
  return withGeneratedPart(page, "src/hooks/events", writeCoverage());
}

function writeCoverage(): string {
  const ofCalls = hookEvents.flatMap(({ name, coverage }) =>
    coverage.of === "calls" ? [{ name, cells: coverage.cells }] : [],
  );
  const ofPrompts = hookEvents.flatMap(({ name, coverage }) =>
    coverage.of === "prompts" ? [{ name, cells: coverage.cells }] : [],
  );
  const others = hookEvents.flatMap(({ name, coverage }) =>
    coverage.of === "neither" ? [describeOther(name, coverage)] : [],
  );
  const calls = (Object.keys(CALL_KINDS) as CallKind[]).map((kind) => {
    const { title, name } = CALL_KINDS[kind];
    const known = name === null ? "–" : name.includes(" ") ? name : code(name);
    return [title, known, ...ofCalls.map(({ cells }) => describe(cells[kind]))];
  });
  const prompts = (Object.keys(PROMPT_KINDS) as PromptKind[]).map((kind) => [
    PROMPT_KINDS[kind],
    ...ofPrompts.map(({ cells }) => describe(cells[kind])),
  ]);
  return [
    markdownTable(["call", "told as", ...ofCalls.map(({ name }) => code(name))], calls),
    markdownTable(["prompt", ...ofPrompts.map(({ name }) => code(name))], prompts),
    markdownTable(["belongs to neither", "fires", "can"], others),
  ]
    .map((table) => `${table}\n`)
    .join("\n");
}

function describeOther(name: string, { when, cell }: { readonly when: string; readonly cell: CoverageCell }) {
  return "can" in cell ? [code(name), when, describe(cell)] : [code(name), `never: ${cell.silent}`, "–"];
}

function describe(cell: CoverageCell): string {
  if ("silent" in cell) return `– (${cell.silent})`;
  const abilities = cell.can.join(", ");
  return cell.as === undefined ? abilities : `as ${code(cell.as)}, when the command ends: ${abilities}`;
}

function code(text: string): string {
  return `\`${text}\``;
}
