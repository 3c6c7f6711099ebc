/**
 * The one way by which anything gets permission, whatever it is about. The order is the same for all:
 *
 * 1. the policy and its rules allow it, forbid it, or have it asked about;
 * 2. what they leave open is put to the clients;
 * 3. the decision is recorded, before anybody hears of it;
 * 4. it is told, what it grants beyond this one time is kept, and it is returned.
 *
 * Whatever goes wrong on the way is a denial. What differs between subjects is in the files `*-permission.ts`.
 */
import { messageOf } from "../../base/errors.ts";
import type { PermissionAnswer, PermissionSubject, Permissions } from "../../tools/permission.ts";
import type { Answer } from "../../tools/tool.ts";
import { additionalPermission } from "./additional-permission.ts";
import { commandPermission } from "./command-permission.ts";
import { createDecisionRecord, type DecisionRecord, UnrecordedDecision } from "./decision-record.ts";
import { fileChangePermission } from "./file-change-permission.ts";
import { mcpCallPermission } from "./mcp-call-permission.ts";
import {
  declined,
  type ItemDisplay,
  NO_DISPLAY,
  type PermissionOptions,
  type Question,
  REQUEST_FAILED,
  type Settlement,
  type SubjectKind,
} from "./subject-kind.ts";

const KINDS = {
  command: commandPermission,
  fileChange: fileChangePermission,
  mcpToolCall: mcpCallPermission,
  permissions: additionalPermission,
};

export function createPermissions(options: PermissionOptions): Permissions {
  return {
    async request(subject) {
      // The table has for each subject the kind that is about it.
      const kind = KINDS[subject.kind] as unknown as SubjectKind<typeof subject>;
      const display = kind.display?.(subject, options.items) ?? NO_DISPLAY;
      const record = createDecisionRecord(options, kind.matter(subject));
      try {
        const answer = await decide(options, kind, subject, { display, record });
        // The user wants nothing more of this turn.
        if (answer.kind === "cancelled") options.endTurn();
        return answer;
      } catch (error) {
        display.onFailure();
        return deny(options, subject, record, error);
      }
    },
  };
}

interface Reports {
  readonly display: ItemDisplay;
  readonly record: DecisionRecord;
}

async function decide<S extends PermissionSubject>(
  options: PermissionOptions,
  kind: SubjectKind<S>,
  subject: S,
  { display, record }: Reports,
): Promise<PermissionAnswer<S["kind"]>> {
  const ruling = await kind.rule(subject, options);
  if (ruling.kind === "forbid") {
    if (kind.recordsForbidden) await record.decide("denied", ruling.basis, ruling.reason);
    return declined(ruling.reason, ruling.cause);
  }
  display.onRuling();
  if (ruling.kind === "allow") {
    await record.decide("approved", ruling.basis, null);
    return ruling.answer;
  }
  await record.ask();
  const { method, params } = ruling.question;
  const asked = await options.questions.open(method, params(), options.signal, display.onWaiting);
  const { outcome, by, reason, answer, grant } = settlementOf(asked.answer, ruling.question, kind);
  try {
    await record.decide(outcome, by, reason);
  } catch (error) {
    asked.settle(display.onFailure);
    throw error;
  }
  asked.settle(() => display.onAnswer(asked.answer.kind === "answered" ? outcome : "unanswered"));
  await grant?.();
  return answer;
}

/** What an answer means, or what kept one from coming. */
function settlementOf<S extends PermissionSubject>(
  answer: Answer<unknown>,
  question: Question<S>,
  { unanswered }: SubjectKind<S>,
): Settlement<S> {
  switch (answer.kind) {
    case "answered":
      return { by: { kind: "client", name: answer.from ?? null }, ...question.read(answer.result as never) };
    case "unanswered": {
      const by = { kind: answer.cause === "timeOut" ? "timeOut" : "failure" } as const;
      return { outcome: "denied", by, reason: answer.reason, answer: declined(unanswered, "answer") };
    }
    case "abandoned": {
      const reason = "the turn ended first";
      return { outcome: "cancelled", by: { kind: "interruption" }, reason, answer: { kind: "cancelled" } };
    }
  }
}

async function deny<S extends PermissionSubject>(
  { log, warn }: PermissionOptions,
  { call }: S,
  record: DecisionRecord,
  error: unknown,
): Promise<PermissionAnswer<S["kind"]>> {
  const message = messageOf(error);
  log.error("a request for permission could not be decided", { tool: call.name, error: message });
  await record.fail(message);
  if (!(error instanceof UnrecordedDecision)) return declined(REQUEST_FAILED, "answer");
  warn(`Nothing was run: ${message}. Free space or mend the database, and try again.`);
  return declined(`${REQUEST_FAILED}: ${message}`, "answer");
}
