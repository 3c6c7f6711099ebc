/** Records one request for permission before its decision takes effect. */
import { AppError, messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { AskedDecision, DecidedBy, NewDecisionRequest, Verdict } from "../../store/decisions.ts";
import type { DecisionLog } from "./decision-log.ts";

export interface DecisionRecord {
  /** Records that a question is about to be asked. */
  ask(): Promise<void>;
  decide(outcome: Verdict["outcome"], by: DecidedBy, reason: string | null): Promise<void>;
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
): DecisionRecord {
  const request: NewDecisionRequest = { threadId, turnId, itemId, subject };
  let asked: AskedDecision | null = null;

  async function decide(outcome: Verdict["outcome"], by: DecidedBy, reason: string | null): Promise<void> {
    const verdict = { outcome, by, reason };
    const opened = asked;
    if (opened === null) return recorded(() => decisions.record(request, verdict));
    // Clients may answer through any server of the store, and the first answer counts.
    if (by.kind === "client") await recorded(() => decisions.answer(opened, verdict));
    const counted = await recorded(() => decisions.close(opened, verdict));
    // The question was closed by a server that has taken over the thread, or it has expired.
    if (counted?.outcome !== "approved" && outcome === "approved")
      throw new AppError("approval.closed", "the question was closed before");
  }

  return {
    async ask() {
      asked = await recorded(() => decisions.open(request));
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
