/** The coverage matrix as the part of a page between two marks. */
import { withGeneratedPart } from "../../base/generated-part.ts";
import { markdownTable } from "../../base/markdown-table.ts";
import {
  CALL_COVERAGE,
  type CoverageCell,
  OTHER_COVERAGE,
  PROMPT_COVERAGE,
  type PromptEvent,
  type ToolEvent,
} from "./coverage.ts";

/** Throws where the page has no such part. */
export function withCoverage(page: string): string {
  return withGeneratedPart(page, "src/hooks/matrix", writeCoverage());
}

const TOOL_EVENTS: readonly ToolEvent[] = ["PreToolUse", "PermissionRequest", "PostToolUse"];
const PROMPT_EVENTS: readonly PromptEvent[] = [
  "SessionStart",
  "UserPromptSubmit",
  "PreModelRequest",
  "PostModelRequest",
  "PreCompact",
  "PostCompact",
  "Stop",
  "Interrupt",
];

function writeCoverage(): string {
  const calls = Object.values(CALL_COVERAGE).map(({ title, name, cells }) => [
    title,
    name === null ? "–" : name.includes(" ") ? name : code(name),
    ...TOOL_EVENTS.map((event) => describe(cells[event])),
  ]);
  const prompts = Object.values(PROMPT_COVERAGE).map(({ title, cells }) => [
    title,
    ...PROMPT_EVENTS.map((event) => describe(cells[event])),
  ]);
  const others = Object.entries(OTHER_COVERAGE).map(([event, cell]) => [
    code(event),
    "can" in cell ? cell.when : `never: ${cell.silent}`,
    "can" in cell ? describe(cell) : "–",
  ]);
  return [
    markdownTable(["call", "told as", ...TOOL_EVENTS.map(code)], calls),
    markdownTable(["prompt", ...PROMPT_EVENTS.map(code)], prompts),
    markdownTable(["belongs to neither", "fires", "can"], others),
  ]
    .map((table) => `${table}\n`)
    .join("\n");
}

function describe(cell: CoverageCell): string {
  if ("silent" in cell) return `– (${cell.silent})`;
  const abilities = cell.can.join(", ");
  return cell.as === undefined ? abilities : `as ${code(cell.as)}, when the command ends: ${abilities}`;
}

function code(text: string): string {
  return `\`${text}\``;
}
