import { AppError, messageOf } from "../../base/errors.ts";
import type {
  DecidedBy,
  DecisionLog,
  LeaveRecord,
  Matter,
  Verdict,
} from "../../store/decisions/decision-log.ts";
import { UnrecordedLeave } from "../../tools/failed-leave.ts";
import type { ApprovalRequest } from "../../tools/tool.ts";
import type { ThreadCore } from "../turn/thread-core.ts";

export interface RecordOptions {
  readonly core: Pick<ThreadCore, "id" | "clock" | "log">;
  readonly turn: { readonly id: string };
  readonly decisions: DecisionLog;
}

export function createRecord(
  { core, turn, decisions }: RecordOptions,
  { itemId, subject }: Pick<Matter, "itemId" | "subject">,
): LeaveRecord {
  const { clock, log } = core;
  const matter: Matter = { threadId: core.id, turnId: turn.id, itemId, atMs: clock.now(), subject };
  let number: number | null = null;

  async function decide(outcome: Verdict["outcome"], by: DecidedBy, reason: string | null): Promise<void> {
    const verdict = { atMs: clock.now(), outcome, by, reason };
    const opened = number;
    if (opened === null) return kept(() => decisions.record(matter, verdict));
    const isOpen = await kept(() => decisions.close(opened, matter, verdict));
    // Another server has taken the thread and has closed the question, or it is too old to be known.
    if (!isOpen && outcome === "approved")
      throw new AppError("approval.closed", "the question was closed before");
  }

  return {
    async ask() {
      number = await kept(() => decisions.open(matter));
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

async function kept<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw new UnrecordedLeave(error);
  }
}

/** What a request for leave is about. */
export function matterOf(request: ApprovalRequest): Pick<Matter, "itemId" | "subject"> {
  return request.kind === "command"
    ? { itemId: request.item.id, subject: { kind: "command", argv: request.argv, cwd: request.cwd } }
    : { itemId: request.itemId, subject: { kind: "fileChange", paths: request.paths } };
}
