/** Converts rows of a queue from and to the wire, for both protocol generations. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { isRefusal } from "../../base/refusal.ts";
import { snapshotInput } from "../../engine/input/read-local-media.ts";
import { withAllMembers } from "../../engine/input/user-message.ts";
import type {
  QueuedTurn,
  ThreadQueueAddParams,
  TurnError,
  UserInput,
} from "../../protocol/generated/types.ts";
import type { NewRow, QueueRow } from "../../store/queue.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { sign } from "../threads/sender.ts";
import { refuseInput } from "../threads/turns.ts";

/** A row on the wire, with the members of both generations. */
export function toQueuedTurn(row: NewRow & Pick<QueueRow, "threadId" | "failure" | "isOutline">): QueuedTurn {
  const { threadId, rowId, clientUserMessageId, failure, notBeforeMs } = row;
  const { sentBy, ...params } = row.params;
  const input = Array.isArray(params["input"]) ? params["input"].filter(isPart).map(withAllMembers) : [];
  return {
    id: rowId,
    input,
    clientUserMessageId: clientUserMessageId ?? rowId,
    turnStartParams: { ...params, threadId, input },
    status:
      failure === null ? { type: "pending" } : { type: "failed", error: toTurnError(failure["message"]) },
    ...(notBeforeMs !== null && { notBefore: Math.floor(notBeforeMs / 1000) }),
    ...(typeof sentBy === "string" && { sentBy }),
    ...(row.source !== undefined && { source: row.source }),
    ...(row.isOutline === true && { isOutline: true }),
  };
}

const isPart = (part: unknown): part is UserInput => isObject(part) && typeof part["type"] === "string";

/** Bounded, because a message may quote the params of the turn. */
const MAX_ERROR_LENGTH = 4000;

export function toTurnError(message: unknown): TurnError {
  const text = typeof message === "string" ? message : "it could not be started";
  return {
    message: text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH)}…` : text,
    codexErrorInfo: null,
    additionalDetails: null,
    misalignment: null,
  };
}

/** The last second of the year 9999. */
const MAX_NOT_BEFORE = 253_402_300_799;

/** The row for a request. Images and files in the input are read now. */
export async function toRow(
  params: ThreadQueueAddParams,
  subject: string | null,
  createId: () => string,
): Promise<NewRow | ThreadRefusal> {
  const { turnStartParams, notBefore } = params;
  if (notBefore != null && Math.abs(notBefore) > MAX_NOT_BEFORE)
    return refuseInvalid(`notBefore is not a Unix time in seconds: ${notBefore}`);
  const { threadId: _thread, ...given } = turnStartParams ?? {
    threadId: params.threadId,
    input: params.input ?? [],
  };
  // An empty key is ignored: a client that sends one for every turn could queue only one.
  const clientUserMessageId = given.clientUserMessageId || params.clientUserMessageId || null;
  const input = await readQueuedInput(given.input);
  if (isRefusal(input)) return input;
  return {
    rowId: createId(),
    clientUserMessageId,
    params: sign(
      { ...given, input, ...(clientUserMessageId !== null && { clientUserMessageId }) },
      subject,
    ) as unknown as JsonObject,
    notBeforeMs: notBefore == null ? null : notBefore * 1000,
  };
}

/** A snapshot of the input of a turn: files that it names are read now. */
export async function readQueuedInput(input: readonly UserInput[]): Promise<UserInput[] | ThreadRefusal> {
  if (input.length === 0) return refuseInvalid("only user input can be added to the user-message queue");
  return refuseInput(input) ?? (await snapshotInput(input));
}
