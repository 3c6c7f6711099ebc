/**
 * Decides on all requests for permission, of every kind. `decide` has the order, which is the same for all: the policy
 * and its rules; hooks and then clients where these leave the request open; the record, before any client is notified
 * of the outcome; the answer. A failure at any point is a denial. The kinds are in the files `*-permission.ts`.
 */

import { messageOf } from "../../base/errors.ts";
import type { DecidedBy } from "../../store/decisions.ts";
import type {
  PermissionAnswer,
  PermissionKind,
  PermissionSubject,
  Permissions,
  PresetPermission,
} from "../../tools/permission.ts";
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
  type PermissionOutcome,
  type PermissionQuestion,
  REQUEST_FAILED,
  type SubjectKind,
} from "./permission-kind.ts";
import type { AnsweredQuestion } from "./questions.ts";

type Kinds = { readonly [K in PermissionKind]: SubjectKind<Extract<PermissionSubject, { kind: K }>> };

const KINDS: Kinds = {
  command: commandPermission,
  fileChange: fileChangePermission,
  mcpToolCall: mcpCallPermission,
  permissions: additionalPermission,
};

export function createPermissions(options: PermissionOptions): Permissions {
  return {
    async request(subject) {
      // TypeScript cannot correlate the kind of the subject with the entry of the table.
      const name: PermissionKind = subject.kind;
      const kind = KINDS[name] as unknown as SubjectKind<typeof subject>;
      const display = kind.display?.(subject, options.items) ?? NO_DISPLAY;
      const record = createDecisionRecord(options, kind.toDecisionRequest(subject));
      try {
        const answer = await decide(options, kind, subject, { display, record });
        // Cancelling a request also ends the turn.
        if (answer.kind === "cancelled") options.endTurn();
        return answer;
      } catch (error) {
        display.onFailure();
        return deny(options, subject, record, error);
      }
    },
    under: (preset) => createPermissions({ ...options, preset }),
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
    await record.decide("denied", ruling.basis, ruling.reason);
    return declined(ruling.reason, ruling.cause);
  }
  display.onRuling();
  const { preset } = options;
  if (ruling.kind === "allow" && preset?.behavior !== "ask") {
    await record.decide("approved", ruling.basis, null);
    return ruling.answer;
  }
  const question = ruling.kind === "ask" ? ruling.question : (ruling.ask?.(preset?.reason ?? null) ?? null);
  if (question === null) {
    const reason = nobodyToAsk(preset);
    await record.decide("denied", { kind: "hook" }, reason);
    return declined(reason, "policy");
  }

  await record.ask();
  const asked =
    (await askHooks(options, subject, question)) ??
    (await askClients(options, kind, question, display.onWaiting));

  const { outcome, by, reason } = asked;
  try {
    await record.decide(outcome, by, reason);
  } catch (error) {
    asked.resolve(display.onFailure);
    throw error;
  }
  asked.resolve(() => display.onAnswer(asked));

  await asked.grant?.();
  return asked.answer;
}

/** The outcome of a question that is not yet recorded; `resolve` notifies clients after that. */
interface Asked<S extends PermissionSubject> extends PermissionOutcome<S> {
  readonly resolve: AnsweredQuestion<unknown>["resolve"];
}

function nobodyToAsk(preset: PresetPermission | null): string {
  const fault = "a hook wants the user to be asked, and nobody may be asked";
  return preset?.reason == null ? fault : `${fault}: ${preset.reason}`;
}

/** Null where no hook decides. */
async function askHooks<S extends PermissionSubject>(
  { hooks, preset }: PermissionOptions,
  subject: S,
  question: PermissionQuestion<S>,
): Promise<Asked<S> | null> {
  // A hook that wants a question means one to the user, which another hook must not answer.
  if (preset?.behavior === "ask") return null;
  const given = preset?.behavior === "allow" ? { behavior: "allow" as const } : await hooks.answer(subject);
  if (given === null) return null;
  const by = { kind: "hook" } as const;
  // No question was sent to clients, so there is none to resolve.
  const resolve = (): void => {};
  if (given.behavior === "allow") return { resolve, by, ...question.read(question.accepted) };
  const { message } = given;
  return { resolve, by, outcome: "denied", reason: message, answer: declined(message, "answer") };
}

function clientOf({ from, subject }: { readonly from?: string; readonly subject?: string }): DecidedBy {
  return { kind: "client", name: from ?? null, ...(subject !== undefined && { subject }) };
}

async function askClients<S extends PermissionSubject>(
  { questions, signal }: PermissionOptions,
  { unanswered }: SubjectKind<S>,
  { method, params, read }: PermissionQuestion<S>,
  onWaiting: () => void,
): Promise<Asked<S>> {
  const { answer, resolve } = await questions.open(method, params(), signal, onWaiting);
  switch (answer.kind) {
    case "answered":
      return { resolve, by: clientOf(answer), ...read(answer.result) };
    case "unanswered": {
      const by = { kind: answer.cause === "timeOut" ? "timeOut" : "failure" } as const;
      const { reason } = answer;
      return { resolve, outcome: "denied", by, reason, answer: declined(unanswered, "answer") };
    }
    case "abandoned":
      return {
        resolve,
        outcome: "cancelled",
        by: { kind: "interruption" },
        reason: "the turn ended first",
        answer: { kind: "cancelled" },
      };
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
  warn(`Nothing was run: ${message}. Free disk space or repair the database, then try again.`);
  return declined(`${REQUEST_FAILED}: ${message}`, "answer");
}
