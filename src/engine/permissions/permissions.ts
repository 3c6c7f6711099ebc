/**
 * The one way by which anything gets permission, whatever it is about. `decide` has the order, which is the same for
 * all: the policy and its rules, then those who are asked about what these leave open, then the record, before anybody
 * hears of the answer, then the answer itself. Whatever goes wrong on the way is a denial. What differs between
 * subjects is in the files `*-permission.ts`.
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
  type Question,
  REQUEST_FAILED,
  type Settlement,
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
      // The table has for each subject the kind that is about it.
      const name: PermissionKind = subject.kind;
      const kind = KINDS[name] as unknown as SubjectKind<typeof subject>;
      const display = kind.display?.(subject, options.items) ?? NO_DISPLAY;
      const record = createDecisionRecord(options, kind.toDecisionRequest(subject));
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

/** What somebody who was asked has decided; nobody knows of it before it is settled. */
interface Asked<S extends PermissionSubject> extends Settlement<S> {
  readonly resolve: AnsweredQuestion<unknown>["resolve"];
}

function nobodyToAsk(preset: PresetPermission | null): string {
  const fault = "a hook wants the user to be asked, and nobody may be asked";
  return preset?.reason == null ? fault : `${fault}: ${preset.reason}`;
}

/** Null where no hook has an answer. */
async function askHooks<S extends PermissionSubject>(
  { hooks, preset }: PermissionOptions,
  subject: S,
  question: Question<S>,
): Promise<Asked<S> | null> {
  // A hook that wants somebody to be asked means a person, and no other hook that allows everything.
  if (preset?.behavior === "ask") return null;
  const given = preset?.behavior === "allow" ? { behavior: "allow" as const } : await hooks.answer(subject);
  if (given === null) return null;
  const by = { kind: "hook" } as const;
  // Nobody was asked, so that there is nothing to show as answered.
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
  { method, params, read }: Question<S>,
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
  warn(`Nothing was run: ${message}. Free space or mend the database, and try again.`);
  return declined(`${REQUEST_FAILED}: ${message}`, "answer");
}
