/** Renders open questions for people. */
import { printable, printableLines } from "../../base/printable.ts";
import type { Approval } from "../../protocol/generated/types.ts";
import { describeVerdict } from "../../runtime/questions/show-question.ts";

/** Two lines: the id, the age and the subject; the thread and the state. */
export function renderOpen(approval: Approval): string {
  const { id, ageMs, threadId, reason, isDurable } = approval;
  const why = reason === null ? "" : `: ${printable(reason)}`;
  const ends = isDurable ? "" : ", ends with its server";
  return `${id}  ${describeAge(ageMs)}  ${printable(subjectOf(approval))}\n    ${stateOf(approval)}${ends}${why}  (${printable(threadId)})\n`;
}

export function renderQuestion(approval: Approval): string {
  const { id, threadId, turnId, ageMs, cwd, reason, changes, request } = approval;
  const lines = [
    `question  ${id}`,
    `asks for  ${printable(subjectOf(approval))}`,
    ...(cwd === null ? [] : [`in        ${printable(cwd)}`]),
    ...(reason === null ? [] : [`because   ${printable(reason)}`]),
    `thread    ${printable(threadId)}`,
    `turn      ${printable(turnId ?? "")}`,
    `asked     ${describeAge(ageMs)} ago`,
    `state     ${stateOf(approval)}`,
    ...(request === null ? [] : [`request   ${printable(request.method)}`]),
    ...(changes ?? []).flatMap(({ path, diff }) => ["", printable(path), printableLines(diff)]),
  ];
  return `${lines.join("\n")}\n`;
}

function subjectOf({ kind, command, paths, server, tool }: Approval): string {
  switch (kind) {
    case "command":
      return command ?? "a command";
    case "fileChange":
      return `change ${(paths ?? []).join(" ")}`;
    case "mcpTool":
      return `call ${tool} of the MCP server ${server}`;
    case "permissions":
      return "have more than the sandbox allows";
    case "elicitation":
    case "userInput":
      return "input of the user";
  }
}

function stateOf(approval: Approval): string {
  return approval.verdict === null ? "open" : describeVerdict(approval);
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

function describeAge(ageMs: number): string {
  const unit = UNITS.find(([, ms]) => ageMs >= ms);
  return unit === undefined ? `${Math.floor(ageMs / 1000)}s` : `${Math.floor(ageMs / unit[1])}${unit[0]}`;
}
