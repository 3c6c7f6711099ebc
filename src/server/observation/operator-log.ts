/**
 * The log lines for the operator: connections, turns, failures of providers, permissions. Lines contain ids,
 * names, numbers and kinds, and nothing that a user, a model or a provider has written: no prompt, no
 * command, no error message.
 */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { ModelAnswered, ThreadEvent } from "../../engine/state/events.ts";
import type { DecisionRequest, Verdict } from "../../store/decisions.ts";
import type { RefusedRequest } from "../../transport/refusal.ts";
import { errorKindOf } from "./error-kind.ts";
import { type OnServerEvent, type ServerEvent, waitedMs } from "./server-events.ts";

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
  inputTokens: number;
  outputTokens: number;
}

/** Clients choose these names freely. */
const MAX_NAME = 64;

/** Null if the log level drops all of these lines. */
export function createOperatorLog(options: OperatorLogOptions): OnServerEvent | null {
  const { log } = options;
  if (log.isOn?.("warn") === false) return null;
  const logConnection = createConnectionLines(options);
  const logTurn = createTurnLines(options);
  return (event) => {
    switch (event.type) {
      case "thread":
        return logTurn(event.threadId, event.event);
      case "connectionOpened":
      case "clientInitialized":
      case "connectionClosed":
        return logConnection(event);
      case "connectionRefused":
        return logRefused(log, event.refused);
      case "permissionAsked":
        return log.info("permission asked", idsOf(event.request));
      case "permissionAnswered": {
        const { request, verdict } = event;
        const facts = { ...describe(request, verdict), waitedMs: waitedMs(request, verdict) };
        return log.info("permission answered", facts);
      }
      case "permissionDecided": {
        const { request, verdict } = event;
        // Logged as debug, because most permissions are approved by the policy.
        const level = verdict.outcome === "approved" ? "debug" : "info";
        return log[level]("permission decided without asking", describe(request, verdict));
      }
      default:
        return;
    }
  };
}

type ConnectionEvent = Extract<
  ServerEvent,
  { type: "connectionOpened" | "clientInitialized" | "connectionClosed" }
>;

function createConnectionLines({ log, clock }: OperatorLogOptions): (event: ConnectionEvent) => void {
  const connections = new Map<number, OpenConnection>();

  function open(id: number, origin: Extract<ConnectionEvent, { type: "connectionOpened" }>["origin"]): void {
    const { transport = "memory", expiresAtMs, ...rest } = origin ?? { from: null };
    connections.set(id, { openedAt: clock.monotonic(), transport, client: null });
    const expires = expiresAtMs === undefined ? {} : { tokenExpires: toTime(expiresAtMs) };
    log.info("connection opened", { connection: id, transport, ...rest, ...expires });
  }

  return (event) => {
    const { id, handshake, subject: holder } = event.connection;
    const subject = holder === null ? {} : { subject: clip(holder) };
    if (event.type === "connectionOpened") return open(id, event.origin);
    const known = connections.get(id);
    if (known === undefined) return;
    if (event.type === "clientInitialized") {
      if (handshake.phase !== "ready") return;
      known.client = clip(handshake.clientName);
      const version = clip(handshake.clientVersion);
      log.info("client introduced itself", { connection: id, ...subject, client: known.client, version });
      return;
    }
    connections.delete(id);
    const { client, transport, openedAt } = known;
    const durationMs = Math.round(clock.monotonic() - openedAt);
    log.info("connection closed", {
      connection: id,
      ...subject,
      client,
      transport,
      durationMs,
      reason: event.reason.kind,
    });
  };
}

/** A token may contain a time that is out of the range of a date. */
function toTime(ms: number): string {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? `${ms}` : time.toISOString();
}

type Ended = Extract<ThreadEvent, { type: "turnEnded" }>;
type Retried = Extract<ThreadEvent, { type: "modelRetried" }>;

function createTurnLines({ log, clock }: OperatorLogOptions): (threadId: string, event: ThreadEvent) => void {
  const turns = new Map<string, RunningTurn>();

  function end(threadId: string, { turnId, kind, outcome }: Ended): void {
    const turn = turns.get(turnId);
    turns.delete(turnId);
    const { inputTokens = 0, outputTokens = 0, retries = 0 } = turn ?? {};
    const durationMs = turn === undefined ? null : Math.round(clock.monotonic() - turn.startedAt);
    const facts = { threadId, turnId, kind, status: outcome.kind, durationMs };
    const spent = { inputTokens, outputTokens, retries };
    if (outcome.kind === "failed")
      log.warn("turn ended", { ...facts, ...spent, ...errorKindOf(outcome.error) });
    else log.info("turn ended", { ...facts, ...spent });
  }

  function count({ turnId, usage }: ModelAnswered): void {
    const turn = turns.get(turnId);
    if (turn === undefined || usage === null) return;
    turn.inputTokens += usage.inputTokens;
    turn.outputTokens += usage.outputTokens;
  }

  function retry(threadId: string, { turnId, error }: Retried): void {
    const turn = turns.get(turnId);
    const attempt = turn === undefined ? null : ++turn.retries;
    const facts = { threadId, turnId, attempt, ...errorKindOf(error) };
    log.warn("model request failed and is retried", facts);
  }

  return (threadId, event) => {
    switch (event.type) {
      case "turnStarted": {
        const { turnId, kind } = event;
        turns.set(turnId, { startedAt: clock.monotonic(), retries: 0, inputTokens: 0, outputTokens: 0 });
        return log.info("turn begun", { threadId, turnId, kind });
      }
      case "turnEnded":
        return end(threadId, event);
      case "modelAnswered":
        return count(event);
      case "modelRetried":
        return retry(threadId, event);
      default:
        return;
    }
  };
}

function clip(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}

/** Refused hosts and pages are already logged by the listener, at any log level. */
const HOST_REFUSED_STATUS = 403;

function logRefused(log: Logger, { status, reason, origin, host, page }: RefusedRequest): void {
  if (status === HOST_REFUSED_STATUS) return;
  const claims = { host: host === null ? null : clip(host), page: page === null ? null : clip(page) };
  log.info("connection refused", { status, reason, ...origin, ...claims });
}

function idsOf({ threadId, turnId, itemId, subject }: DecisionRequest) {
  return { threadId, turnId, itemId, kind: subject.kind };
}

function describe(request: DecisionRequest, { outcome, by }: Verdict) {
  const client = by.kind === "client" ? { client: by.name === null ? null : clip(by.name) } : {};
  const subject = by.kind === "client" && by.subject !== undefined ? { subject: clip(by.subject) } : {};
  return { ...idsOf(request), decision: outcome, by: by.kind, ...subject, ...client };
}
