/** Describes the subject of an approval in one line. */
import { printable } from "../../base/printable.ts";
import { joinWords } from "../../base/shlex.ts";
import type { Subject } from "../../store/decisions.ts";
import { describeAdditionalPermissions } from "../../tools/permissions/permission-grants.ts";

const MAX_SUBJECT_LENGTH = 160;

export function describeSubject(subject: Subject): string {
  const shown = printable(subjectText(subject));
  return shown.length > MAX_SUBJECT_LENGTH ? `${shown.slice(0, MAX_SUBJECT_LENGTH)}…` : shown;
}

function subjectText(subject: Subject): string {
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
