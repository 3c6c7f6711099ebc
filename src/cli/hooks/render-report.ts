/** What came of an event at the workbench, for people and for programs. */
import { printable, printableLines } from "../../base/printable.ts";
import { describeHandler } from "../../hooks/config/skipped-hooks.ts";
import type { HandlerResult } from "../../hooks/outcome.ts";
import { describeMismatch, type HookMatch, lacksTrust } from "../../hooks/workbench/match-hooks.ts";
import type { EventReport, TriedRun } from "../../hooks/workbench/try-event.ts";
import type { Paint } from "../command-line/paint.ts";
import { withoutName } from "./render-hooks.ts";
import { trustCommand } from "./trust-command.ts";

const MAX_SAID = 2000;

export function renderEventReport(
  { event, matches, runs, notRun, would }: EventReport,
  paint: Paint,
): string {
  const passed = matches.flatMap((match) => {
    const why = describeMismatch(match);
    if (why === null) return [];
    const words = `${match.hook.displayOrder}  does not run: ${printableLines(withoutName(why, match.hook))}`;
    const remedy = remedyOf(match);
    return remedy === null ? [paint.faint(words)] : [paint.bad(words), `   ${printable(remedy)}`];
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
      const words = `-> ${indent(clip(line), 3)}`;
      return would.isBlocked ? paint.bad(words) : lacking > 0 ? words : paint.good(words);
    }),
    ...(lacking === 0 || would.isBlocked ? [] : [paint.bad(`   ${describeLacking(lacking)}`)]),
  ];
  return `${lines.join("\n")}\n`;
}

function describeLacking(count: number): string {
  return count === 1 ? "1 hook lacks trust and was not run" : `${count} hooks lack trust and were not run`;
}

/** What to do about a hook that is about this event, and does not run. */
function remedyOf(match: HookMatch): string | null {
  if (!lacksTrust(match)) return null;
  const trying = "try it as it is with --untrusted";
  // A refusal says itself how to trust the hook.
  return match.verdict.kind === "refused"
    ? `or ${trying}`
    : `look at it, and then trust it with \`${trustCommand(match.hook.key)}\`, or ${trying}`;
}

function renderRun({ hook, run, result }: TriedRun, paint: Paint): string[] {
  const { status, durationMs, entries } = run;
  const shown = status === "completed" ? paint.good(status) : paint.bad(status);
  const isLate = hook.isAsync ? ", nobody waits for it" : "";
  return [
    `${hook.displayOrder}  ${shown} in ${durationMs ?? 0} ms${describeEnd(result)}${isLate}`,
    `   ${printable(clip(describeHandler(hook)))}`,
    `   ${paint.faint(printable(hook.key))}`,
    ...entries.map(({ kind, text }) => `   ${kind}: ${indent(clip(text), 3)}`),
    ...(result?.kind === "exited" && result.isCut
      ? ["   its output was longer than may be, and was cut"]
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
  return text.length > MAX_SAID ? `${text.slice(0, MAX_SAID)}…` : text;
}

/** For programs. */
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
