/** The coverage matrix as the part of a page between two marks. */
import {
  CALL_COVERAGE,
  type CoverageCell,
  OTHER_COVERAGE,
  PROMPT_COVERAGE,
  type PromptEvent,
  type ToolEvent,
} from "./coverage.ts";

const BEGIN = "<!-- Generated from src/hooks/matrix by `npm run generate`. Do not edit. -->";
const END = "<!-- End of what is generated. -->";

/** Throws where the page has no such part. */
export function withCoverage(page: string): string {
  const [before, rest, ...more] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`the page needs one part between "${BEGIN}" and "${END}"`);
  return `${before}${BEGIN}\n\n${writeCoverage()}\n${END}${after}`;
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
    table(["call", "told as", ...TOOL_EVENTS.map(code)], calls),
    table(["prompt", ...PROMPT_EVENTS.map(code)], prompts),
    table(["belongs to neither", "fires", "can"], others),
  ].join("\n");
}

function describe(cell: CoverageCell): string {
  if ("silent" in cell) return `– (${cell.silent})`;
  const abilities = cell.can.join(", ");
  return cell.as === undefined ? abilities : `as ${code(cell.as)}, when the command ends: ${abilities}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Every cell as wide as its column. */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  return [header, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("");
}
