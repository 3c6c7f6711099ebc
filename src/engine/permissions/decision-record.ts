/** Records one request for permission before its decision takes effect. */
import { AppError, messageOf } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { Logger } from "../../base/logger.ts";
import {
  type AskedDecision,
  type Cause,
  canKeepQuestion,
  type DecidedBy,
  type KeptQuestion,
  type NewDecisionRequest,
  type StoredAnswer,
  type Verdict,
} from "../../store/decisions.ts";
import type { DecisionLog } from "./decision-log.ts";

export interface DecisionRecord {
  /** Records that a question is about to be asked; with `question`, so that a later process can ask it again. */
  ask(question: KeptQuestion | null, cause: Cause): Promise<void>;
  /** The answer that is recorded and has not taken effect; null where there is none or it cannot be read. */
  findAnswer(): Promise<StoredAnswer | null>;
  /** The decision of the question; null before it is asked. */
  asked(): AskedDecision | null;
  /** Whether a later process can ask the question again. */
  isKept(): boolean;
  /**
   * Records the answer of a client before it takes effect. Returns the answer of another client that was first; null
   * where this one counts.
   */
  answer(verdict: Omit<Verdict, "atMs">, result: JsonObject): Promise<StoredAnswer | null>;
  /** Returns the answer of a client that counts instead; null where the given outcome counts. */
  decide(
    outcome: Verdict["outcome"],
    by: DecidedBy,
    reason: string | null,
  ): Promise<Pick<StoredAnswer, "by" | "result"> | null>;
  /** Records a denial after a failure. Never throws, because there is no safer fallback than the denial. */
  fail(reason: string): Promise<void>;
}

export interface RecordOptions {
  readonly threadId: string;
  readonly turnId: string;
  readonly log: Logger;
  readonly decisions: DecisionLog;
}

export function createDecisionRecord(
  { threadId, turnId, log, decisions }: RecordOptions,
  { itemId, subject }: Pick<NewDecisionRequest, "itemId" | "subject">,
  /** The question of an earlier process. */
  continued: AskedDecision | null = null,
): DecisionRecord {
  const request: NewDecisionRequest = { threadId, turnId, itemId, subject };
  let asked = continued;
  let isKept = continued !== null;
  let isAnswered = false;

  const decide: DecisionRecord["decide"] = async (outcome, by, reason) => {
    const verdict = { outcome, by, reason };
    const opened = asked;
    if (opened === null) {
      await recorded(() => decisions.record(request, verdict));
      return null;
    }
    // Clients may answer through any server of the store, and the first answer counts.
    if (by.kind === "client" && !isAnswered) await recorded(() => decisions.answer(opened, verdict, null));
    const counted = await recorded(() => decisions.close(opened, verdict));
    // The question was closed by a server that has taken over the thread, or it has expired.
    if (counted?.verdict.outcome !== "approved" && outcome === "approved")
      throw new AppError("approval.closed", "the question was closed before");
    const { result = null } = counted ?? {};
    return result === null || counted === null || by.kind === "client"
      ? null
      : { by: counted.verdict.by, result };
  };

  return {
    async ask(question, cause) {
      isKept = question !== null && canKeepQuestion(question);
      asked = await recorded(() => decisions.open({ ...request, cause }, isKept ? question : null));
    },
    async findAnswer() {
      try {
        return asked === null ? null : await decisions.findAnswer(asked);
      } catch (error) {
        log.warn("the answer to a question could not be read", { itemId, error: messageOf(error) });
        return null;
      }
    },
    asked: () => asked,
    isKept: () => isKept,
    async answer(verdict, result) {
      const opened = asked;
      if (opened === null) return null;
      const first = await recorded(() => decisions.answer(opened, verdict, result));
      isAnswered = true;
      if (first === undefined) throw new AppError("approval.closed", "the question was closed before");
      return first;
    },
    decide,
    async fail(reason) {
      try {
        await decide("denied", { kind: "failure" }, reason);
      } catch (error) {
        log.error("a denial could not be recorded", { itemId: request.itemId, error: messageOf(error) });
      }
    },
  };
}

/** A permission that cannot be recorded is denied, with this error as the reason for the caller. */
export class UnrecordedDecision extends AppError<"approval.unrecorded"> {
  constructor(cause: unknown) {
    super("approval.unrecorded", `the decision could not be recorded: ${messageOf(cause)}`, { cause });
  }
}

async function recorded<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw new UnrecordedDecision(error);
  }
}
