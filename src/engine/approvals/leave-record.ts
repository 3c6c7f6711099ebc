import { AppError, messageOf } from "../../base/errors.ts";
import type { DecidedBy, DecisionLog, Matter, Subject, Verdict } from "../../store/decisions/decision-log.ts";
import type { ApprovalRequest } from "../../tools/tool.ts";
import type { ThreadCore } from "../turns/thread-core.ts";

export interface RecordOptions {
  readonly core: Pick<ThreadCore, "id" | "clock" | "log">;
  readonly turn: { readonly id: string };
  readonly decisions: DecisionLog;
}

/** What is written down of one request for leave, before its decision takes effect. */
export interface LeaveRecord {
  /** Somebody is about to be asked. */
  ask(): Promise<void>;
  decide(outcome: Verdict["outcome"], by: DecidedBy, reason: string | null): Promise<void>;
  /** The request is denied because something went wrong. Never throws, for there is nothing safer to fall back to. */
  fail(reason: string): Promise<void>;
}

export function createRecord(
  { core, turn, decisions }: RecordOptions,
  request: ApprovalRequest,
): LeaveRecord {
  const { clock, log } = core;
  const matter: Matter = {
    threadId: core.id,
    turnId: turn.id,
    itemId: request.kind === "command" ? request.item.id : request.itemId,
    atMs: clock.now(),
    subject: toSubject(request),
  };
  let number: number | null = null;

  async function decide(outcome: Verdict["outcome"], by: DecidedBy, reason: string | null): Promise<void> {
    const verdict = { atMs: clock.now(), outcome, by, reason };
    if (number === null) return decisions.record(matter, verdict);
    const isOpen = await decisions.close(number, verdict);
    // Another server has taken the thread and has closed the question, or it is too old to be known.
    if (!isOpen && outcome === "approved")
      throw new AppError("approval.closed", "the question was closed before");
  }

  return {
    async ask() {
      number = await decisions.open(matter);
    },
    decide,
    async fail(reason) {
      try {
        await decide("denied", { kind: "failure" }, reason);
      } catch (error) {
        log.error("a denial could not be recorded", { itemId: matter.itemId, error: messageOf(error) });
      }
    },
  };
}

function toSubject(request: ApprovalRequest): Subject {
  return request.kind === "command"
    ? { kind: "command", argv: request.argv, cwd: request.cwd }
    : { kind: "fileChange", paths: request.paths };
}
