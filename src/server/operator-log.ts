/**
 * What whoever runs a server reads in its log, each as one line: connections, turns, failures of providers, permissions.
 * It listens to what the server does anyway. Lines have ids, names, numbers and kinds, and nothing that a user, a model
 * or a provider has written: no prompt, no command, no message of an error.
 */
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { EmitFor, OnEngineEvent, ThreadEvent } from "../engine/state/events.ts";
import type { ServerNotifications, TurnError } from "../protocol/generated/types.ts";
import type { Decisions, Matter, Verdict } from "../store/decisions.ts";
import type { CloseReason, Transport } from "../transport/transport.ts";
import type { RefusedRequest } from "../transport/websocket-listener.ts";
import type { Connection } from "./connections/connection.ts";

export interface OperatorLog {
  opened(connection: Connection, transport: Transport): void;
  /** The client has said who it is. */
  introduced(connection: Connection): void;
  closed(connection: Connection, reason: CloseReason): void;
  readonly onEvent: OnEngineEvent;
  /** The same way to tell clients, on which the log listens. */
  hear(emit: EmitFor): EmitFor;
  /** The same decisions, of which the log is told. */
  observe(decisions: Decisions): Decisions;
}

interface OperatorLogOptions {
  readonly log: Logger;
  readonly clock: Clock;
}

interface OpenConnection {
  readonly openedAt: number;
  readonly transport: string;
  client: string | null;
}

interface RunningTurn {
  readonly startedAt: number;
  retries: number;
  /** Of the thread, as it was last told. */
  threadTokens: number;
  inputTokens: number;
  outputTokens: number;
}

/** Clients call themselves and others what they like. */
const MAX_NAME = 64;

/** Where nobody reads anything of it, nothing listens and nothing is paid for it. */
const UNREAD: OperatorLog = {
  opened() {},
  introduced() {},
  closed() {},
  onEvent() {},
  hear: (emit) => emit,
  observe: (decisions) => decisions,
};

export function createOperatorLog(options: OperatorLogOptions): OperatorLog {
  const { log } = options;
  if (log.isOn?.("warn") === false) return UNREAD;
  return {
    ...createConnectionLines(options),
    ...createTurnLines(options),
    observe: (decisions) => observeDecisions(decisions, log),
  };
}

type ConnectionLines = Pick<OperatorLog, "opened" | "introduced" | "closed">;

function createConnectionLines({ log, clock }: OperatorLogOptions): ConnectionLines {
  const connections = new Map<number, OpenConnection>();
  return {
    opened({ id }, { origin }) {
      const { transport = "memory", ...rest } = origin ?? { from: null };
      connections.set(id, { openedAt: clock.monotonic(), transport, client: null });
      log.info("connection opened", { connection: id, transport, ...rest });
    },
    introduced({ id, session }) {
      const known = connections.get(id);
      if (known === undefined || session.phase !== "ready") return;
      known.client = clip(session.clientName);
      const version = clip(session.clientVersion);
      log.info("client introduced itself", { connection: id, client: known.client, version });
    },
    closed({ id }, { kind: reason }) {
      const known = connections.get(id);
      if (known === undefined) return;
      connections.delete(id);
      const { client, transport, openedAt } = known;
      const durationMs = Math.round(clock.monotonic() - openedAt);
      log.info("connection closed", { connection: id, client, transport, durationMs, reason });
    },
  };
}

type Started = Extract<ThreadEvent, { type: "turnStarted" }>;
type Ended = Extract<ThreadEvent, { type: "turnEnded" }>;

function createTurnLines({ log, clock }: OperatorLogOptions): Pick<OperatorLog, "onEvent" | "hear"> {
  const turns = new Map<string, RunningTurn>();

  function begin(threadId: string, { turnId, kind }: Started): void {
    const nothing = { retries: 0, threadTokens: 0, inputTokens: 0, outputTokens: 0 };
    turns.set(turnId, { startedAt: clock.monotonic(), ...nothing });
    log.info("turn begun", { threadId, turnId, kind });
  }

  function end(threadId: string, { turnId, kind, outcome }: Ended): void {
    const turn = turns.get(turnId);
    turns.delete(turnId);
    const { inputTokens = 0, outputTokens = 0, retries = 0 } = turn ?? {};
    const durationMs = turn === undefined ? null : Math.round(clock.monotonic() - turn.startedAt);
    const facts = { threadId, turnId, kind, status: outcome.kind, durationMs };
    const spent = { inputTokens, outputTokens, retries };
    if (outcome.kind === "failed")
      log.warn("turn ended", { ...facts, ...spent, ...describeError(outcome.error) });
    else log.info("turn ended", { ...facts, ...spent });
  }

  /** The total tells whether the last response was counted before: some updates repeat it. */
  function count({ turnId, tokenUsage }: ServerNotifications["thread/tokenUsage/updated"]): void {
    const turn = turns.get(turnId);
    const { total, last } = tokenUsage;
    if (turn === undefined || turn.threadTokens === total.totalTokens) return;
    turn.threadTokens = total.totalTokens;
    turn.inputTokens += last.inputTokens;
    turn.outputTokens += last.outputTokens;
  }

  function retry({ threadId, turnId, error }: ServerNotifications["error"]): void {
    const turn = turns.get(turnId);
    const attempt = turn === undefined ? null : ++turn.retries;
    log.warn("model request failed and is tried again", {
      threadId,
      turnId,
      attempt,
      ...describeError(error),
    });
  }

  return {
    onEvent(threadId, event) {
      if (event.type === "turnStarted") begin(threadId, event);
      else if (event.type === "turnEnded") end(threadId, event);
    },
    hear: (emit) => (threadId, method, params) => {
      if (method === "thread/tokenUsage/updated")
        count(params as ServerNotifications["thread/tokenUsage/updated"]);
      else if (method === "error" && (params as ServerNotifications["error"]).willRetry)
        retry(params as ServerNotifications["error"]);
      emit(threadId, method, params);
    },
  };
}

function clip(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}

/** A caller that was turned away. */
export function logRefused(log: Logger, { status, reason, origin, host, page }: RefusedRequest): void {
  const claims = { host: host === null ? null : clip(host), page: page === null ? null : clip(page) };
  log.info("connection refused", { status, reason, ...origin, ...claims });
}

/** What was asked of somebody, and whatever was not granted. */
function observeDecisions(decisions: Decisions, log: Logger): Decisions {
  return {
    ...decisions,
    async record(source, matter, verdict) {
      const recorded = await decisions.record(source, matter, verdict);
      // What the policy lets run is most of what runs.
      const level = verdict.outcome === "approved" ? "debug" : "info";
      if (recorded.kind === "kept")
        log[level]("permission decided without asking", describe(matter, verdict));
      return recorded;
    },
    async open(source, matter) {
      const recorded = await decisions.open(source, matter);
      if (recorded.kind === "kept") log.info("permission asked", idsOf(matter));
      return recorded;
    },
    async close(source, number, matter, verdict) {
      const closed = await decisions.close(source, number, matter, verdict);
      const waitedMs = Math.max(0, verdict.atMs - matter.atMs);
      if (closed.kind === "closed")
        log.info("permission answered", { ...describe(matter, verdict), waitedMs });
      return closed;
    },
  };
}

function idsOf({ threadId, turnId, itemId, subject }: Matter) {
  return { threadId, turnId, itemId, kind: subject.kind };
}

function describe(matter: Matter, { outcome, by }: Verdict) {
  const client = by.kind === "client" ? { client: by.name === null ? null : clip(by.name) } : {};
  return { ...idsOf(matter), decision: outcome, by: by.kind, ...client };
}

/** The kind of a failure and its HTTP status. Its words may quote what a user has written, and are left out. */
function describeError({ codexErrorInfo: info }: TurnError): {
  readonly error: string;
  readonly httpStatus: number | null;
} {
  if (info === null || typeof info === "string") return { error: info ?? "other", httpStatus: null };
  const [error = "other", facts] = Object.entries(info)[0] ?? [];
  const status = (facts as { readonly httpStatusCode?: unknown } | undefined)?.httpStatusCode;
  return { error, httpStatus: typeof status === "number" ? status : null };
}
