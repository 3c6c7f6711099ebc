/**
 * Decides on all requests for permission, of every kind. `decide` has the order, which is the same for all: the policy
 * and its rules; hooks and then clients where these leave the request open; the record, before any client is notified
 * of the outcome; the answer. A failure at any point is a denial. The kinds are in the files `*-permission.ts`, and the
 * questions in `ask-permission.ts`.
 */

import { messageOf } from "../../base/errors.ts";
import type { Cause, OpenQuestion } from "../../store/decisions.ts";
import type {
  PermissionAnswer,
  PermissionKind,
  PermissionSubject,
  Permissions,
  PresetPermission,
  Retry,
} from "../../tools/permission.ts";
import { additionalPermission } from "./additional-permission.ts";
import { type Asked, askClients, askHooks, settleAnswer } from "./ask-permission.ts";
import { CHANGED_SINCE, isSameQuestion, toKeptQuestion } from "./asked-before.ts";
import { commandPermission } from "./command-permission.ts";
import { createDecisionRecord, type DecisionRecord, UnrecordedDecision } from "./decision-record.ts";
import { fileChangePermission } from "./file-change-permission.ts";
import { mcpCallPermission } from "./mcp-call-permission.ts";
import {
  declined,
  type ItemDisplay,
  NO_DISPLAY,
  type PermissionOptions,
  type PermissionQuestion,
  REQUEST_FAILED,
  type Ruling,
  type SubjectKind,
} from "./permission-kind.ts";

type Kinds = { readonly [K in PermissionKind]: SubjectKind<Extract<PermissionSubject, { kind: K }>> };

const KINDS: Kinds = {
  command: commandPermission,
  fileChange: fileChangePermission,
  mcpToolCall: mcpCallPermission,
  permissions: additionalPermission,
};

export function createPermissions(options: PermissionOptions): Permissions {
  return {
    async request(given) {
      const { call } = options;
      const continued = call?.takeQuestion() ?? null;
      const subject = continued === null ? given : withRetryState(given, call?.afterDenial ?? null);
      // TypeScript cannot correlate the kind of the subject with the entry of the table.
      const name: PermissionKind = subject.kind;
      const kind = KINDS[name] as unknown as SubjectKind<typeof subject>;
      const display = kind.display?.(subject, options.items) ?? NO_DISPLAY;
      const record = createDecisionRecord(options, kind.toDecisionRequest(subject), continued);
      try {
        const answer = await decide(options, kind, subject, { display, record, continued });
        if (answer.kind === "approved") call?.proceed();
        // Cancelling a request also ends the turn.
        if (answer.kind === "cancelled") options.endTurn();
        return answer;
      } catch (error) {
        display.onFailure();
        return deny(options, subject, record, error);
      }
    },
    under: (preset, call = null) => createPermissions({ ...options, preset, call }),
  };
}

/** An earlier process may have asked whether a command that its sandbox has stopped runs without one. */
function withRetryState<S extends PermissionSubject>(subject: S, afterDenial: Retry | null): S {
  return subject.kind === "command" && afterDenial !== null ? { ...subject, afterDenial } : subject;
}

interface Reports {
  readonly display: ItemDisplay;
  readonly record: DecisionRecord;
  /** The question that an earlier process has asked. */
  readonly continued: OpenQuestion | null;
}

async function decide<S extends PermissionSubject>(
  options: PermissionOptions,
  kind: SubjectKind<S>,
  subject: S,
  { display, record, continued }: Reports,
): Promise<PermissionAnswer<S["kind"]>> {
  const ruling = await kind.rule(subject, options);
  if (ruling.kind === "forbid") {
    await record.decide("denied", ruling.basis, ruling.reason);
    return declined(ruling.reason, ruling.cause);
  }
  display.onRuling();
  const { preset } = options;
  if (ruling.kind === "allow" && !mustAsk(ruling, preset, continued)) {
    await record.decide("approved", ruling.basis, null);
    return ruling.answer;
  }
  const question = ruling.kind === "ask" ? ruling.question : (ruling.ask?.(preset?.reason ?? null) ?? null);
  if (question === null) {
    const reason = nobodyToAsk(preset);
    await record.decide("denied", { kind: "hook" }, reason);
    return declined(reason, "policy");
  }
  const cause: Cause = ruling.kind === "ask" ? ruling.cause : { kind: "hook", why: preset?.reason ?? null };
  return ask(options, { kind, subject, question, cause, display, record, continued });
}

/** Asks hooks and clients, and records the outcome before clients are notified of it. */
async function ask<S extends PermissionSubject>(
  options: PermissionOptions,
  settling: Settling<S>,
): Promise<PermissionAnswer<S["kind"]>> {
  const { kind, subject, question, display, record, continued } = settling;
  const kept = options.call === null ? null : toKeptQuestion(kind, subject, question);
  if (continued !== null && !isSameQuestion(continued, kept)) {
    await record.decide("denied", { kind: "failure" }, CHANGED_SINCE);
    display.onFailure();
    return declined(CHANGED_SINCE, "answer");
  }
  if (continued === null) await record.ask(kept, settling.cause);
  const asked =
    (continued === null ? await askHooks(options, subject, question) : null) ??
    (await askClients(options, { ...settling, kept }));
  // The question stays open: a later process asks it again.
  if (asked.isSuspended === true) return { kind: "cancelled" };

  const settled = await settle(options, settling, asked);
  asked.resolve(() => display.onAnswer(settled));
  await settled.grant?.();
  return settled.answer;
}

/** A question of an earlier process is asked again, unless the policy allows no questions any more. */
function mustAsk<S extends PermissionSubject>(
  { ask }: Extract<Ruling<S>, { kind: "allow" }>,
  preset: PresetPermission | null,
  continued: OpenQuestion | null,
): boolean {
  return preset?.behavior === "ask" || (continued !== null && ask !== null);
}

interface Settling<S extends PermissionSubject> extends Reports {
  readonly kind: SubjectKind<S>;
  readonly subject: S;
  readonly question: PermissionQuestion<S>;
  readonly cause: Cause;
}

/** Records the outcome before it takes effect. */
async function settle<S extends PermissionSubject>(
  options: PermissionOptions,
  { kind, subject, question, record, continued, display }: Settling<S>,
  asked: Asked<S>,
): Promise<Asked<S>> {
  try {
    let settled = await settleAnswer(record, question, asked);
    // The rules may have changed since an earlier process asked.
    if (continued !== null && settled.outcome === "approved")
      settled = underRuling(settled, await kind.rule(subject, options));
    const { outcome, by, reason } = settled;
    const counted = await record.decide(outcome, by, reason);
    // An answer may have been recorded at the moment at which its time was over.
    return counted?.result == null
      ? settled
      : { resolve: asked.resolve, ...question.read(counted.result as never), by: counted.by };
  } catch (error) {
    asked.resolve(display.onFailure);
    throw error;
  }
}

function underRuling<S extends PermissionSubject>(asked: Asked<S>, ruling: Ruling<S>): Asked<S> {
  if (ruling.kind !== "forbid") return asked;
  const { basis: by, reason } = ruling;
  return { resolve: asked.resolve, by, outcome: "denied", reason, answer: declined(reason, "answer") };
}

function nobodyToAsk(preset: PresetPermission | null): string {
  const fault = "a hook wants the user to be asked, and nobody may be asked";
  return preset?.reason == null ? fault : `${fault}: ${preset.reason}`;
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
