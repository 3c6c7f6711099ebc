/** Asks hooks and then clients for a permission. */
import type { JsonObject } from "../../base/json-object.ts";
import type { DecidedBy, KeptQuestion, OpenQuestion } from "../../store/decisions.ts";
import type { PermissionSubject } from "../../tools/permission.ts";
import { type Answer, SUSPENDED } from "../../tools/tool.ts";
import type { DecisionRecord } from "./decision-record.ts";
import {
  declined,
  type ItemDisplay,
  type PermissionOptions,
  type PermissionOutcome,
  type PermissionQuestion,
  type SubjectKind,
} from "./permission-kind.ts";
import type { Answered, AnsweredQuestion } from "./questions.ts";

/** The outcome of a question that is not yet recorded; `resolve` notifies clients after that. */
export interface Asked<S extends PermissionSubject> extends PermissionOutcome<S> {
  readonly resolve: AnsweredQuestion<unknown>["resolve"];
  /** The turn is left to a later process, with the question. */
  readonly isSuspended?: true;
  /** The result of a client, which is recorded before it takes effect. */
  readonly result?: JsonObject;
}

/** Null where no hook decides. */
export async function askHooks<S extends PermissionSubject>(
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

export interface Asking<S extends PermissionSubject> {
  readonly kind: SubjectKind<S>;
  readonly subject: S;
  readonly question: PermissionQuestion<S>;
  /** Null for a question that ends with the process. */
  readonly kept: KeptQuestion | null;
  readonly record: DecisionRecord;
  /** The question that an earlier process has asked. */
  readonly continued: OpenQuestion | null;
  readonly display: ItemDisplay;
}

export async function askClients<S extends PermissionSubject>(
  options: PermissionOptions,
  asking: Asking<S>,
): Promise<Asked<S>> {
  const { question, record, continued, display } = asking;
  const stored = continued?.answer ?? null;
  if (stored?.result != null) {
    display.onWaiting();
    const resolve: Asked<S>["resolve"] = (onResolved) => onResolved?.();
    return { ...question.read(stored.result as never), by: stored.by, resolve };
  }
  const isKept = await keep(options, asking);
  const decision = record.asked();
  const { answer, resolve } = await options.questions.open(
    question.method,
    paramsOf(asking),
    options.signal,
    {
      onWaiting: display.onWaiting,
      decision:
        decision === null
          ? null
          : { ...decision, isContinued: continued !== null, findAnswer: () => findAnswer(record) },
    },
  );
  if (isKept && options.signal.reason === SUSPENDED) return { ...LEFT_OPEN, resolve };
  return { resolve, ...toOutcome(asking, answer) };
}

async function findAnswer(record: DecisionRecord): Promise<Answered<unknown> | null> {
  const found = await record.findAnswer();
  if (found?.result == null) return null;
  const { name = null, subject } = found.by.kind === "client" ? found.by : {};
  return {
    kind: "answered",
    result: found.result,
    ...(name !== null && { from: name }),
    ...(subject !== undefined && { subject }),
  };
}

/** Clients see the same request that an earlier process has sent. */
function paramsOf<S extends PermissionSubject>({ continued, kept, question }: Asking<S>) {
  const { params = kept?.params ?? question.params() } = continued?.question ?? {};
  return params as ReturnType<PermissionQuestion<S>["params"]>;
}

function toOutcome<S extends PermissionSubject>(
  { kind, question }: Asking<S>,
  answer: Answer<Parameters<PermissionQuestion<S>["read"]>[0]>,
): Omit<Asked<S>, "resolve"> {
  switch (answer.kind) {
    case "answered": {
      const result = answer.result as unknown as JsonObject;
      return { result, by: clientOf(answer), ...question.read(answer.result) };
    }
    case "unanswered": {
      const by = { kind: answer.cause === "timeOut" ? "timeOut" : "failure" } as const;
      const { reason } = answer;
      return { outcome: "denied", by, reason, answer: declined(kind.unanswered, "answer") };
    }
    case "abandoned":
      return {
        outcome: "cancelled",
        by: { kind: "interruption" },
        reason: "the turn ended first",
        answer: { kind: "cancelled" },
      };
  }
}

/** Persists what a later process needs to continue the call. False: the question ends with this process. */
async function keep<S extends PermissionSubject>(
  { call }: PermissionOptions,
  { kind, subject, record, continued }: Asking<S>,
): Promise<boolean> {
  if (call === null || !record.isKept()) return false;
  if (continued !== null) return true;
  const { itemId } = kind.toDecisionRequest(subject);
  return call.wait(itemId, subject.kind === "command" ? subject.afterDenial : null);
}

const LEFT_OPEN = {
  isSuspended: true,
  outcome: "cancelled",
  by: { kind: "interruption" },
  reason: null,
  answer: { kind: "cancelled" },
} as const;

/** Records the answer of a client; where another one was first, that one counts. */
export async function settleAnswer<S extends PermissionSubject>(
  record: DecisionRecord,
  { read }: PermissionQuestion<S>,
  asked: Asked<S>,
): Promise<Asked<S>> {
  const { result, outcome, by, reason } = asked;
  if (result === undefined) return asked;
  const first = await record.answer({ outcome, by, reason }, result);
  return first?.result == null ? asked : { ...asked, by: first.by, ...read(first.result as never) };
}

function clientOf({ from, subject }: { readonly from?: string; readonly subject?: string }): DecidedBy {
  return { kind: "client", name: from ?? null, ...(subject !== undefined && { subject }) };
}
