import { printable } from "../../base/printable.ts";
import { joinWords } from "../../base/shlex.ts";
import type { DecidedBy, Decision, Subject } from "../../store/decisions.ts";
import { describePermissions } from "../../tools/permissions/permission-grants.ts";

const LONGEST_SUBJECT = 160;

/** A decision for people: when, what came of it, what it was about, and who decided why. */
export function renderDecision({ atMs, threadId, itemId, subject, verdict }: Decision): string {
  const outcome = (verdict?.outcome ?? "open").padEnd(9);
  const first = `${new Date(verdict?.atMs ?? atMs).toISOString()}  ${outcome}  ${describeSubject(subject)}\n`;
  const by = verdict === null ? "nobody has answered yet" : describeBy(verdict.by);
  const reason = verdict?.reason == null ? "" : `: ${printable(verdict.reason)}`;
  return `${first}${" ".repeat(26)}${by}${reason}  (${printable(`${threadId} ${itemId}`)})\n`;
}

function describeSubject(subject: Subject): string {
  const shown = printable(wordsOf(subject));
  return shown.length > LONGEST_SUBJECT ? `${shown.slice(0, LONGEST_SUBJECT)}…` : shown;
}

function wordsOf(subject: Subject): string {
  switch (subject.kind) {
    case "command":
      return `${joinWords(subject.argv)} in ${subject.cwd}`;
    case "fileChange":
      return `change ${joinWords(subject.paths)}`;
    case "mcpTool":
      return `call ${subject.tool} of the MCP server ${subject.server}`;
    case "permissions":
      return `have more than the sandbox allows: ${describePermissions(subject)}`;
  }
}

function describeBy(by: DecidedBy): string {
  switch (by.kind) {
    case "policy":
      return "by the approval policy";
    case "rule":
      return `by the rule for ${printable(joinWords(by.prefix))}${by.file === null ? "" : ` in ${printable(by.file)}`}`;
    case "sessionGrant":
      return "by an earlier answer for the session";
    case "client":
      return by.name === null ? "by a client" : `by the client ${printable(by.name)}`;
    case "timeOut":
      return "by time-out";
    case "interruption":
      return "by interruption";
    case "failure":
      return "by failure";
  }
}
