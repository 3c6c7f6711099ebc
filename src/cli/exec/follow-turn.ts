/** Runs one turn to its end, and forwards its notices to an output. */

import type { Clock } from "../../base/clock.ts";
import { createDeferred } from "../../base/tasks.ts";
import type { Client } from "../../client/client.ts";
import type {
  ReviewTarget,
  ThreadTokenUsage,
  Turn,
  TurnError,
  TurnStatus,
  UserInput,
} from "../../protocol/generated/types.ts";
import { createSend, type ExecSession, type Send } from "./exec-session.ts";
import { createNetworkTimeout } from "./network-timeout.ts";
import { isAboutTurn, type Notice, SUBSCRIBED_METHODS } from "./notice.ts";

export interface FollowedTurn {
  readonly status: TurnStatus;
  /** The last agent message; null unless the turn completed. */
  readonly lastMessage: string | null;
  readonly usage: ThreadTokenUsage | null;
}

/** Renders a turn. */
export interface ExecOutput {
  begin(session: ExecSession, prompt: string): void;
  onNotice(notice: Notice): void;
  end(outcome: FollowedTurn): void;
}

/** Buffers notices until a listener is attached, so that none is delivered before `ExecOutput.begin`. */
export interface NoticeBuffer {
  forwardTo(listener: (notice: Notice) => void): void;
}

export function bufferNotices(client: Client): NoticeBuffer {
  const buffered: Notice[] = [];
  let deliver = (notice: Notice): void => void buffered.push(notice);
  for (const method of SUBSCRIBED_METHODS) {
    // `client.on` pairs the method with its params; the type checker loses that pairing in the loop.
    client.on(method, (params) => deliver({ method, params } as Notice));
  }
  return {
    forwardTo(listener) {
      deliver = listener;
      for (const notice of buffered.splice(0)) listener(notice);
    },
  };
}

export type ExecWork =
  | { readonly kind: "message"; readonly input: UserInput[]; readonly outputSchema: unknown }
  | { readonly kind: "review"; readonly target: ReviewTarget };

export interface FollowTurnOptions {
  readonly client: Client;
  readonly notices: NoticeBuffer;
  readonly session: ExecSession;
  readonly work: ExecWork;
  readonly output: ExecOutput;
  /** Interrupts the turn. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  /** How long to wait for an unreachable provider. */
  readonly networkTimeoutSeconds: number;
}

export async function followTurn(options: FollowTurnOptions): Promise<FollowedTurn> {
  const { client, session, output, stop } = options;
  const { threadId } = session;
  const send = createSend(client);
  const ended = createDeferred<TurnStatus>();
  let agentMessage: string | null = null;
  let planText: string | null = null;
  let usage: ThreadTokenUsage | null = null;

  const turn = await startTurn(send, session, options.work);
  // The server sends no `turn/started` for a review.
  if (options.work.kind === "review") output.onNotice({ method: "turn/started", params: { threadId, turn } });
  // The request fails if the turn has already ended.
  const interrupt = () => void send("turn/interrupt", { threadId, turnId: turn.id }).catch(() => {});
  const networkTimeout = createNetworkTimeout({
    clock: options.clock,
    seconds: options.networkTimeoutSeconds,
    onTimeout: interrupt,
  });
  options.notices.forwardTo((received) => {
    if (!isAboutTurn(received, threadId, turn.id)) return;
    networkTimeout.onNotice(received);
    const notice = withTimeoutError(received, networkTimeout.error);
    output.onNotice(notice);
    const { method, params } = notice;
    if (method === "thread/tokenUsage/updated") usage = params.tokenUsage;
    if (method === "turn/completed") ended.resolve(params.turn.status);
    if (method !== "item/completed") return;
    if (params.item.type === "agentMessage") agentMessage = params.item.text;
    if (params.item.type === "plan") planText = params.item.text;
  });
  if (stop.aborted) interrupt();
  stop.addEventListener("abort", interrupt, { once: true });
  void client.closed.then(() => ended.reject(new Error("the server ended before the turn did")));
  const status = await ended.promise.finally(() => networkTimeout.end());
  stop.removeEventListener("abort", interrupt);
  options.notices.forwardTo(() => {});
  await terminateCommands(send, threadId);
  return { status, usage, lastMessage: status === "completed" ? (agentMessage ?? planText) : null };
}

/** Reports a turn as failed after a network timeout; the server only knows that it was interrupted. */
function withTimeoutError(notice: Notice, error: TurnError | null): Notice {
  if (error === null || notice.method !== "turn/completed" || notice.params.turn.status !== "interrupted")
    return notice;
  return {
    ...notice,
    params: { ...notice.params, turn: { ...notice.params.turn, status: "failed", error } },
  };
}

async function startTurn(send: Send, session: ExecSession, work: ExecWork): Promise<Turn> {
  const { threadId, cwd, approvalPolicy } = session;
  if (work.kind === "review") return (await send("review/start", { threadId, target: work.target })).turn;
  const { input, outputSchema } = work;
  const turnParams = { threadId, input, cwd, approvalPolicy };
  return (await send("turn/start", outputSchema === undefined ? turnParams : { ...turnParams, outputSchema }))
    .turn;
}

/** Background commands end with this process; terminating them first lets the thread record it. */
async function terminateCommands(send: Send, threadId: string): Promise<void> {
  const { data } = await send("thread/backgroundTerminals/list", { threadId });
  const ends = data.map(({ processId }) =>
    send("thread/backgroundTerminals/terminate", { threadId, processId }),
  );
  await Promise.all(ends);
}
