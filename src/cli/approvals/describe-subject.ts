/** What permission is needed for, in words and in one line. */
import { printable } from "../../base/printable.ts";
import { joinWords } from "../../base/shlex.ts";
import type { Subject } from "../../store/decisions.ts";
import { describeAdditionalPermissions } from "../../tools/permissions/permission-grants.ts";

const LONGEST_SUBJECT = 160;

export function describeSubject(subject: Subject): string {
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
      return `have more than the sandbox allows: ${describeAdditionalPermissions(subject)}`;
  }
}
