/** Wire views of questions and decisions. */

import type { JsonObject } from "../../base/json-object.ts";
import { joinWords } from "../../base/shlex.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { Approval, ApprovalCause, ApprovalVerdict, Decision } from "../../protocol/generated/types.ts";
import {
  type AskedDecision,
  type Cause,
  clipSubject,
  type OpenQuestion,
  type StoredDecision,
  type Subject,
  type Verdict,
} from "../../store/decisions.ts";
import { questionId } from "../../store/question-id.ts";
import { describeAdditionalPermissions } from "../../tools/permissions/permission-grants.ts";

/** An open question; `thread` is null where it is not loaded. */
export function showOpen(
  question: OpenQuestion,
  thread: Pick<Thread, "openDecisions"> | null,
  nowMs: number,
): Approval {
  const { question: kept, answer, number } = question;
  const live = thread?.openDecisions().find((each) => each.number === number);
  return {
    ...shared(question, nowMs),
    status: answer === null ? "open" : "answered",
    ...(kept === null
      ? {}
      : {
          ...describeSubject(kept.subject),
          changes: kept.changes === undefined ? null : [...kept.changes],
          reason: reasonOf(kept.params),
          request: { method: kept.method, params: kept.params },
        }),
    requestId: live?.requestId ?? null,
    isDurable: kept !== null,
    until: live === undefined ? null : toSeconds(live.untilMs),
    verdict: answer === null ? null : showVerdict(answer),
  };
}

export function showDecision(decision: StoredDecision, nowMs: number): Approval {
  const { verdict } = decision;
  return {
    ...shared(decision, nowMs),
    status: verdict === null ? "open" : "closed",
    verdict: verdict === null ? null : showVerdict(verdict),
  };
}

/** As the end of a sentence: how a question was decided, and by whom. */
export function describeVerdict({ verdict }: Pick<Approval, "verdict">): string {
  if (verdict === null) return "closed already";
  const { kind, name, subject } = verdict.by;
  const who = kind === "client" ? (subject ?? name ?? "a client") : WORDS[kind];
  return `${verdict.outcome} already by ${who}`;
}

const WORDS: Readonly<Record<Exclude<ApprovalVerdict["by"]["kind"], "client">, string>> = {
  policy: "the approval policy",
  rule: "a rule",
  sessionGrant: "an earlier answer for the session",
  hook: "a hook",
  timeOut: "time-out",
  interruption: "an interruption of the turn",
  failure: "a failure",
};

function shared(asked: AskedDecision, nowMs: number): Approval {
  const { threadId, turnId, itemId, subject, atMs } = asked;
  return {
    id: questionId(asked),
    threadId,
    turnId,
    itemId,
    kind: subject.kind,
    status: "open",
    ...NOTHING,
    ...describeSubject(subject),
    cause: showCause(asked.cause),
    requestedAt: toSeconds(atMs),
    ageMs: Math.max(0, nowMs - atMs),
  };
}

const NOTHING = {
  command: null,
  cwd: null,
  paths: null,
  changes: null,
  server: null,
  tool: null,
  reason: null,
  request: null,
  requestId: null,
  isDurable: false,
  until: null,
  verdict: null,
};

/** A line of the log. */
export function toDecision(stored: StoredDecision): Decision {
  const { threadId, turnId, itemId, atMs, verdict } = stored;
  // Older records may have longer subjects than are recorded today.
  const subject = clipSubject(stored.subject);
  const by = verdict?.by;
  return {
    id: questionId(stored),
    threadId,
    turnId,
    itemId,
    kind: subject.kind,
    command: subject.kind === "command" ? joinWords(subject.argv) : null,
    cwd: subject.kind === "command" ? subject.cwd : null,
    paths: subject.kind === "fileChange" ? [...subject.paths] : null,
    server: subject.kind === "mcpTool" ? subject.server : null,
    tool: subject.kind === "mcpTool" ? subject.tool : null,
    permissions:
      subject.kind === "permissions"
        ? { network: subject.network, read: [...subject.read], write: [...subject.write] }
        : null,
    requestedAt: toSeconds(atMs),
    verdict: verdict === null ? null : showVerdict(verdict),
    rule: by?.kind === "rule" ? { pattern: [...by.prefix], file: by.file } : null,
    cause: showCause(stored.cause),
  };
}

function showCause(cause: Cause | undefined): ApprovalCause | null {
  if (cause?.kind !== "rule") return cause ?? null;
  const { prefix, ...rule } = cause;
  return { ...rule, pattern: [...prefix] };
}

function describeSubject(subject: Subject): Partial<Approval> {
  switch (subject.kind) {
    case "command":
      return { command: joinWords(subject.argv), cwd: subject.cwd };
    case "fileChange":
      return { paths: [...subject.paths] };
    case "mcpTool":
      return { server: subject.server, tool: subject.tool };
    case "permissions":
      return { reason: describeAdditionalPermissions(subject) };
  }
}

/** Why it is asked: the rule or the justification, or the message of a form. */
function reasonOf(params: JsonObject): string | null {
  const { reason, message } = params;
  return typeof reason === "string" ? reason : typeof message === "string" ? message : null;
}

function showVerdict({ outcome, by, reason, atMs }: Verdict): ApprovalVerdict {
  const { name = null, subject = null } = by.kind === "client" ? by : {};
  return { outcome, by: { kind: by.kind, name, subject }, reason, decidedAt: toSeconds(atMs) };
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
