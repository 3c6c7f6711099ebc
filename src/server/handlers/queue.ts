/**
 * The queue of a thread, for both protocol generations: params of either are accepted, and responses have the
 * members of both.
 */
import type { JsonObject } from "../../base/json-object.ts";
import type { Engine } from "../../engine/engine.ts";
import { TURN_TRAITS } from "../../engine/state/turn-state.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import { readQueuedInput, toQueuedTurn, toRow } from "../../runtime/queue/queue-entry.ts";
import { isReason, MAX_REASON_LENGTH } from "../../runtime/queue/queue-limits.ts";
import type { QueuedTurns } from "../../runtime/queue/queued-turns.ts";
import type { TurnQueue } from "../../runtime/queue/turn-queue.ts";
import type { ThreadService } from "../../runtime/thread-service.ts";
import type { LaneHeld } from "../../runtime/threads/lane.ts";
import { sign } from "../../runtime/threads/sender.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import type { NewRow, QueueRow } from "../../store/queue.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import { type Handlers, invalidRequest, type RequestMethod, unwrap } from "../connections/handler.ts";

type QueueMethod = Extract<RequestMethod, `thread/queue/${string}`> | "thread/submit";
type RunMethod = `thread/queue/${"start" | "pause" | "resume"}` | "thread/submit";

export interface QueueHandlersOptions {
  readonly engine: Pick<Engine, "find">;
  readonly threadStore: () => Promise<Pick<ThreadStore, "read">>;
  readonly queue: TurnQueue;
  readonly holdOf: QueuedTurns["holdOf"];
  readonly threads: Pick<ThreadService, "startTurn">;
  readonly createId: () => string;
}

const PAGE = 25;
const MAX_PAGE = 100;

export function createQueueHandlers(options: QueueHandlersOptions): Handlers<QueueMethod> {
  return { ...createRowHandlers(options), ...createRunHandlers(options) };
}

/** Handlers that read and change rows. */
function createRowHandlers(options: QueueHandlersOptions): Handlers<Exclude<QueueMethod, RunMethod>> {
  const { queue, holdOf, createId } = options;
  const find = (text: string) => findPersistent(text, options);
  return {
    async "thread/queue/add"(params, { lane, connection, afterResponse }) {
      const { turnStartParams } = params;
      if (turnStartParams != null && turnStartParams.threadId !== params.threadId) {
        unwrap(parseThreadId(params.threadId));
        throw invalidRequest("`threadId` must match `turnStartParams.threadId`");
      }
      await findPersistent(params.threadId, options, turnStartParams != null);
      const row = unwrap(await toRow(params, connection.subject, createId));
      const { entry, startedTurnId, begin } = await add(queue, lane, row);
      afterResponse(begin);
      return { queuedSubmission: entry, queuedTurn: entry, ...startedTurnId };
    },

    async "thread/queue/list"({ threadId, cursor, limit }) {
      const offset = parseCursor(cursor ?? null);
      const page = { offset, limit: Math.min(MAX_PAGE, Math.max(1, limit ?? PAGE)), atLeast: 1 } as const;
      const id = await find(threadId);
      const { rows, total, pause } = await queue.list(id, page);
      const next = offset + rows.length;
      const hold = offset === 0 ? await holdOf(id, { row: rows[0], pause }) : null;
      return {
        data: rows.map(toQueuedTurn),
        nextCursor: next < total ? String(next) : null,
        ...(pause !== null && { pauseReason: pause }),
        ...(hold !== null && { heldUpBy: hold }),
      };
    },

    async "thread/queue/update"({ threadId, queuedSubmissionId, input }, context) {
      const { lane, connection, afterResponse } = context;
      await find(threadId);
      const kept = unwrap(await readQueuedInput(input));
      const params = { input: kept, sentBy: connection.subject } as unknown as JsonObject;
      const outcome = await queue.update(lane, queuedSubmissionId, { params });
      if (outcome.kind === "unknownRow") throw notFound(queuedSubmissionId);
      if (outcome.kind === "full") throw invalidRequest(outcome.message);
      afterResponse(outcome.begin);
      return asEntry(outcome.row);
    },

    async "thread/queue/delete"({ threadId, queuedSubmissionId, queuedTurnId }, { lane, afterResponse }) {
      const rowId = queuedTurnId ?? queuedSubmissionId ?? "";
      await find(threadId);
      const { value: deleted, begin } = await queue.remove(lane, rowId);
      afterResponse(begin);
      return { deleted };
    },

    async "thread/queue/reorder"({ threadId, queuedSubmissionIds, queuedTurnIds }, { lane, afterResponse }) {
      const id = await find(threadId);
      const wanted = queuedTurnIds ?? queuedSubmissionIds ?? [];
      const { value: isDone, begin } = await queue.reorder(lane, wanted);
      if (!isDone) throw invalidRequest("queue reorder must include every queued submission exactly once");
      const { rows, total } = await queue.list(id, {
        offset: 0,
        limit: MAX_PAGE,
        atLeast: 0,
        isOutline: true,
      });
      afterResponse(begin);
      return {
        queuedTurns: rows.map(toQueuedTurn),
        ...(rows.length < total && { nextCursor: String(rows.length) }),
      };
    },
  };
}

/** Handlers that start rows, or pause and resume the queue. */
function createRunHandlers(options: QueueHandlersOptions): Handlers<RunMethod> {
  const { engine, queue, threads, createId } = options;
  const find = (text: string) => findPersistent(text, options);
  return {
    async "thread/queue/start"({ threadId, queuedSubmissionId }, { lane, afterResponse }) {
      await find(threadId);
      const outcome = await queue.start(lane, queuedSubmissionId ?? null);
      switch (outcome.kind) {
        case "accepted":
          afterResponse(outcome.begin);
          return { turn: outcome.value };
        case "failed":
          throw invalidRequest(outcome.error.message);
        case "empty":
          throw invalidRequest("queue is empty");
        case "busy":
          throw invalidRequest("thread already has an active or pending turn");
        case "notLoaded":
          throw invalidRequest("resume the thread before starting a queued message");
        case "unknownRow":
          throw notFound(queuedSubmissionId ?? "");
      }
    },

    async "thread/queue/pause"({ threadId, reason }, { lane, connection, afterResponse }) {
      const why = reason ?? `${connection.subject ?? "a client"} paused it`;
      await find(threadId);
      if (!isReason(why))
        throw invalidRequest(`reason is too long: it may have ${MAX_REASON_LENGTH} characters`);
      afterResponse((await queue.pause(lane, why)).begin);
      return {};
    },

    async "thread/queue/resume"({ threadId }, { lane, afterResponse }) {
      await find(threadId);
      const { value: resumed, begin } = await queue.resume(lane);
      afterResponse(begin);
      return { resumed };
    },

    async "thread/submit"(params, { lane, connection, afterResponse }) {
      const { subject } = connection;
      const threadId = await find(params.threadId);
      const thread = engine.find(threadId);
      const isSteerable = thread?.activeKind != null && TURN_TRAITS[thread.activeKind].isSteerable;
      const isFree = thread?.activeTurnId === null && (await queue.isEmpty(threadId));
      const key = params.clientUserMessageId || null;
      const isKnown = key !== null && (await queue.startedBy(threadId, key)) !== null;
      if (!isKnown && (isSteerable || isFree)) {
        const { value: turn, begin } = unwrap(await threads.startTurn(lane, sign(params, subject)));
        afterResponse(begin);
        return { outcome: isFree ? { type: "started", turn } : { type: "steered", turnId: turn.id } };
      }
      const row = unwrap(await toRow({ threadId, turnStartParams: params }, subject, createId));
      const { entry, startedTurnId, begin } = await add(queue, lane, row);
      afterResponse(begin);
      return { outcome: { type: "queued", queuedTurn: entry, ...startedTurnId } };
    },
  };
}

/** Returns the id of a thread that is persistent, loaded or not. */
async function findPersistent(
  text: string,
  { engine, threadStore }: Pick<QueueHandlersOptions, "engine" | "threadStore">,
  isEarlier = false,
): Promise<string> {
  const threadId = unwrap(parseThreadId(text));
  const thread = engine.find(threadId);
  if (thread?.view().ephemeral === true) {
    // The wording differs between the protocol generations.
    const what = isEarlier ? "queued turns" : "queued submissions";
    throw invalidRequest(`ephemeral thread does not support ${what}: ${threadId}`);
  }
  if (thread !== undefined) return threadId;
  const stored = await (await threadStore()).read(threadId);
  if (stored === null) {
    const reason = `invalid thread-store request: no rollout found for thread id ${threadId}`;
    throw new RpcError(errorCodes.internalError, `failed to read thread: ${reason}`);
  }
  if (stored.archived) {
    const advice = `Run \`codex unarchive ${threadId}\` to unarchive it first.`;
    throw invalidRequest(`session ${threadId} is archived. ${advice}`);
  }
  return threadId;
}

async function add(queue: TurnQueue, lane: LaneHeld, row: NewRow) {
  const { threadId } = lane;
  const outcome = await queue.add(lane, row);
  switch (outcome.kind) {
    case "full":
      throw invalidRequest(outcome.message);
    case "started": {
      const { rowId, turnId } = outcome.started;
      return {
        entry: toQueuedTurn({ ...row, rowId, threadId, failure: null }),
        startedTurnId: { startedTurnId: turnId },
        begin() {},
      };
    }
    default:
      return { entry: toQueuedTurn(outcome.row), startedTurnId: {}, begin: outcome.begin };
  }
}

function asEntry(row: QueueRow) {
  const entry = toQueuedTurn(row);
  return { queuedSubmission: entry, queuedTurn: entry };
}

function parseCursor(cursor: string | null): number {
  if (cursor === null) return 0;
  if (!/^\d{1,15}$/.test(cursor))
    throw invalidRequest("invalid queue pagination cursor: invalid digit found in string");
  return Number(cursor);
}

function notFound(rowId: string): RpcError {
  return invalidRequest(`queued submission not found: ${rowId}`);
}
