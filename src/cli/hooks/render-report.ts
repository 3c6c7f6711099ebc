/** Renders the result of a test event, as text and as JSON. */
import { printable, printableLines } from "../../base/printable.ts";
import { describeHandler } from "../../hooks/config/skipped-hooks.ts";
import type { HandlerResult } from "../../hooks/outcome.ts";
import { describeMismatch, type HookMatch, lacksTrust } from "../../hooks/workbench/match-hooks.ts";
import type { EventReport, TriedRun } from "../../hooks/workbench/try-event.ts";
import { trustCommand, withoutName } from "../../runtime/workbench/view-hooks.ts";
import type { Paint } from "../command-line/paint.ts";

const MAX_TEXT = 2000;

export function renderEventReport(
  { event, matches, runs, notRun, would }: EventReport,
  paint: Paint,
): string {
  const passed = matches.flatMap((match) => {
    const reason = describeMismatch(match);
    if (reason === null) return [];
    const text = `${match.hook.displayOrder}  does not run: ${printableLines(withoutName(reason, match.hook))}`;
    const remedy = remedyOf(match);
    return remedy === null ? [paint.faint(text)] : [paint.bad(text), `   ${printable(remedy)}`];
  });
  const lacking = matches.filter(lacksTrust).length;
  const lines = [
    `${event}: ${runs.length} of ${matches.length} ${matches.length === 1 ? "hook" : "hooks"}`,
    ...passed,
    ...runs.flatMap((run) => renderRun(run, paint)),
    ...notRun.map(({ hook, reason }) =>
      paint.bad(`${hook.displayOrder}  could not be run: ${printableLines(clip(reason))}`),
    ),
    ...would.lines.map((line) => {
      const text = `-> ${indent(clip(line), 3)}`;
      return would.isBlocked ? paint.bad(text) : lacking > 0 ? text : paint.good(text);
    }),
    ...(lacking === 0 || would.isBlocked ? [] : [paint.bad(`   ${describeLacking(lacking)}`)]),
  ];
  return `${lines.join("\n")}\n`;
}

function describeLacking(count: number): string {
  return count === 1 ? "1 hook lacks trust and was not run" : `${count} hooks lack trust and were not run`;
}

/** The remedy for a hook that matches the event and does not run; null where none is needed. */
function remedyOf(match: HookMatch): string | null {
  if (!lacksTrust(match)) return null;
  const trying = "try it as it is with --untrusted";
  // A refusal already contains the command that trusts the hook.
  return match.verdict.kind === "refused"
    ? `or ${trying}`
    : `look at it, and then trust it with \`${trustCommand(match.hook.key)}\`, or ${trying}`;
}

function renderRun({ hook, run, result }: TriedRun, paint: Paint): string[] {
  const { status, durationMs, entries } = run;
  const shown = status === "completed" ? paint.good(status) : paint.bad(status);
  const isLate = hook.isAsync ? ", asynchronous" : "";
  return [
    `${hook.displayOrder}  ${shown} in ${durationMs ?? 0} ms${describeEnd(result)}${isLate}`,
    `   ${printable(clip(describeHandler(hook)))}`,
    `   ${paint.faint(printable(hook.key))}`,
    ...entries.map(({ kind, text }) => `   ${kind}: ${indent(clip(text), 3)}`),
    ...(result?.kind === "exited" && result.isCut
      ? ["   its output exceeded the limit and was truncated"]
      : []),
  ];
}

function describeEnd(result: HandlerResult | null): string {
  switch (result?.kind) {
    case "exited":
      return result.exitCode === null ? ", ended by a signal" : `, exit code ${result.exitCode}`;
    case "timedOut":
      return `, after its time-out of ${result.seconds} s`;
    default:
      return "";
  }
}

function indent(text: string, columns: number): string {
  return printableLines(text).replaceAll("\n", `\n${" ".repeat(columns)}`);
}

function clip(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** The report for `--json`. */
export function reportToJson({ event, input, matches, runs, notRun, decision, would }: EventReport) {
  return {
    event,
    input,
    hooks: matches.map((match) => ({
      key: match.hook.key,
      displayOrder: match.hook.displayOrder,
      runs: describeHandler(match.hook),
      isRun: match.verdict.kind === "runs",
      whyNot: match.verdict.kind === "runs" ? null : match.verdict.kind,
      reason: describeMismatch(match),
      remedy: remedyOf(match),
    })),
    runs: runs.map(({ hook, run, result }) => ({ key: hook.key, ...run, result })),
    notRun: notRun.map(({ hook, reason }) => ({ key: hook.key, reason })),
    decision,
    isBlocked: would.isBlocked,
    would: would.lines,
  };
}
