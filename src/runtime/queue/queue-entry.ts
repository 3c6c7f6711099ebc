/** Entries of a queue: what clients say of them, and how both generations of clients see them. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { snapshotInput } from "../../engine/input/snapshot-input.ts";
import { withAllMembers } from "../../engine/input/user-message.ts";
import type {
  QueuedTurn,
  ThreadQueueAddParams,
  TurnError,
  UserInput,
} from "../../protocol/generated/types.ts";
import type { NewRow, QueueRow } from "../../store/queue.ts";
import { refuse } from "../configuration/refusal.ts";
import { checkInput } from "../threads/turn-operations.ts";

/** A row as both generations of clients know it. */
export function toQueuedTurn(row: NewRow & Pick<QueueRow, "threadId" | "failure" | "isOutline">): QueuedTurn {
  const { threadId, rowId, clientUserMessageId, params, failure, notBeforeMs } = row;
  const input = Array.isArray(params["input"]) ? params["input"].filter(isPart).map(withAllMembers) : [];
  return {
    id: rowId,
    input,
    clientUserMessageId: clientUserMessageId ?? rowId,
    turnStartParams: { ...params, threadId, input },
    status:
      failure === null ? { type: "pending" } : { type: "failed", error: toTurnError(failure["message"]) },
    ...(notBeforeMs !== null && { notBefore: Math.floor(notBeforeMs / 1000) }),
    ...(row.isOutline === true && { isOutline: true }),
  };
}

const isPart = (part: unknown): part is UserInput => isObject(part) && typeof part["type"] === "string";

/** Why a turn could not be started may quote what it was to be started with. */
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

/** The row of an entry that was checked. */
export async function toRow(params: ThreadQueueAddParams, createId: () => string): Promise<NewRow> {
  const { turnStartParams, notBefore } = params;
  if (notBefore != null && Math.abs(notBefore) > MAX_NOT_BEFORE)
    throw refuse(`notBefore is no Unix time in seconds: ${notBefore}`);
  const { threadId: _thread, ...given } = turnStartParams ?? {
    threadId: params.threadId,
    input: params.input ?? [],
  };
  // An empty one is no key: whoever has none would otherwise queue one turn only.
  const clientUserMessageId = given.clientUserMessageId || params.clientUserMessageId || null;
  const input = await checkQueued(given.input);
  return {
    rowId: createId(),
    clientUserMessageId,
    params: {
      ...given,
      input,
      ...(clientUserMessageId !== null && { clientUserMessageId }),
    } as unknown as JsonObject,
    notBeforeMs: notBefore == null ? null : notBefore * 1000,
  };
}

/** What a turn could be started with now, as it is now. */
export async function checkQueued(input: readonly UserInput[]): Promise<UserInput[]> {
  if (input.length === 0) throw refuse("only user input can be added to the user-message queue");
  checkInput(input);
  return snapshotInput(input);
}
