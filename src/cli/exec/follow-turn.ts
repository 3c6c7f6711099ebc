/** One turn of a thread from its start to its end, told to an output. */

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
import { type ExecSession, type Send, sendThrough } from "./exec-session.ts";
import { createNetworkPatience } from "./network-timeout.ts";
import { concerns, HEARD, type Notice } from "./notice.ts";

/** How a turn ended. */
export interface FollowedTurn {
  readonly status: TurnStatus;
  /** What the agent said last; null where the turn did not come to its end. */
  readonly lastMessage: string | null;
  readonly usage: ThreadTokenUsage | null;
}

/** Shows what becomes of a turn. */
export interface ExecOutput {
  begin(session: ExecSession, prompt: string): void;
  hear(notice: Notice): void;
  end(outcome: FollowedTurn): void;
}

/** Keeps what is heard until somebody listens, so that nothing comes before the beginning that it belongs to. */
export interface Listening {
  listen(listener: (notice: Notice) => void): void;
}

export function hearAll(client: Client): Listening {
  const buffered: Notice[] = [];
  let heard = (notice: Notice): void => void buffered.push(notice);
  for (const method of HEARD) {
    // The method and its params were paired by the listener that they were given to.
    client.on(method, (params) => heard({ method, params } as Notice));
  }
  return {
    listen(listener) {
      heard = listener;
      for (const notice of buffered.splice(0)) listener(notice);
    },
  };
}

/** What the turn is about. */
export type ExecWork =
  | { readonly kind: "message"; readonly input: UserInput[]; readonly outputSchema: unknown }
  | { readonly kind: "review"; readonly target: ReviewTarget };

export interface FollowTurnOptions {
  readonly client: Client;
  readonly listening: Listening;
  readonly session: ExecSession;
  readonly work: ExecWork;
  readonly output: ExecOutput;
  /** Ends the turn early. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  /** For how long a provider that cannot be reached is waited for. */
  readonly networkTimeoutSeconds: number;
}

export async function followTurn(options: FollowTurnOptions): Promise<FollowedTurn> {
  const { client, session, output, stop } = options;
  const { threadId } = session;
  const send = sendThrough(client);
  const ended = createDeferred<TurnStatus>();
  let said: string | null = null;
  let planned: string | null = null;
  let usage: ThreadTokenUsage | null = null;

  const turn = await startTurn(send, session, options.work);
  // The server does not tell of the start of a review.
  if (options.work.kind === "review") output.hear({ method: "turn/started", params: { threadId, turn } });
  // A turn that has ended by itself needs no interruption.
  const interrupt = () => void send("turn/interrupt", { threadId, turnId: turn.id }).catch(() => {});
  const patience = createNetworkPatience({
    clock: options.clock,
    seconds: options.networkTimeoutSeconds,
    onGivenUp: interrupt,
  });
  options.listening.listen((given) => {
    if (!concerns(given, threadId, turn.id)) return;
    patience.hear(given);
    const notice = withFault(given, patience.fault);
    output.hear(notice);
    const { method, params } = notice;
    if (method === "thread/tokenUsage/updated") usage = params.tokenUsage;
    if (method === "turn/completed") ended.resolve(params.turn.status);
    if (method !== "item/completed") return;
    if (params.item.type === "agentMessage") said = params.item.text;
    if (params.item.type === "plan") planned = params.item.text;
  });
  if (stop.aborted) interrupt();
  stop.addEventListener("abort", interrupt, { once: true });
  void client.closed.then(() => ended.reject(new Error("the server ended before the turn did")));
  const status = await ended.promise.finally(() => patience.end());
  stop.removeEventListener("abort", interrupt);
  options.listening.listen(() => {});
  await endCommands(send, threadId);
  return { status, usage, lastMessage: status === "completed" ? (said ?? planned) : null };
}

/** A turn that was given up has failed; the server knows only that it was interrupted. */
function withFault(notice: Notice, error: TurnError | null): Notice {
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
  const asked = { threadId, input, cwd, approvalPolicy };
  return (await send("turn/start", outputSchema === undefined ? asked : { ...asked, outputSchema })).turn;
}

/** Commands that the turn has left running end with this process; here they do while their thread can note it. */
async function endCommands(send: Send, threadId: string): Promise<void> {
  const { data } = await send("thread/backgroundTerminals/list", { threadId });
  const ends = data.map(({ processId }) =>
    send("thread/backgroundTerminals/terminate", { threadId, processId }),
  );
  await Promise.all(ends);
}
