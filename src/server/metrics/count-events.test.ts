import { expect, test } from "vitest";
import { createRegistry } from "../../base/metrics/registry.ts";
import type { DecisionRequest, Verdict } from "../../store/decisions.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import type { ServerEvent } from "../observation/server-events.ts";
import { countEvents } from "./count-events.ts";
import { METRICS } from "./metric-table.ts";

function open() {
  let now = 0;
  const registry = createRegistry(METRICS);
  const counts = countEvents({ registry, clock: { monotonic: () => now } });
  const tell = (event: ServerEvent): void => counts.onEvent(event);
  const seriesOf = (name: keyof typeof METRICS) =>
    registry.read().find((each) => each.name === name)?.series ?? [];
  return {
    counts,
    tell,
    thread: (event: Extract<ServerEvent, { type: "thread" }>["event"]) =>
      tell({ type: "thread", threadId: "t", event }),
    advance: (ms: number) => void (now += ms),
    shown: (name: keyof typeof METRICS) =>
      seriesOf(name)
        .filter(({ value }) => value !== 0)
        .map(({ labels, value }) => [...Object.values(labels), value].join(" ")),
    counted: (name: keyof typeof METRICS) => seriesOf(name)[0]?.counts?.reduce((sum, one) => sum + one, 0),
  };
}

const request = (itemId: string, atMs = 0): DecisionRequest => ({
  threadId: "t",
  turnId: "turn",
  itemId,
  atMs,
  subject: { kind: "command", argv: ["secret"], cwd: "/secret" },
});
const verdict = (atMs: number): Verdict => ({
  atMs,
  outcome: "denied",
  by: { kind: "timeOut" },
  reason: "secret",
});

test("what is asked waits until it is answered or its turn has ended", () => {
  const { tell, thread, counts, shown, counted } = open();
  for (const itemId of ["a", "b", "c"]) tell({ type: "permissionAsked", request: request(itemId) });
  tell({ type: "permissionAnswered", request: request("a"), verdict: verdict(2500) });
  expect(counts.permissionsWaiting()).toBe(2);
  thread({ type: "turnEnded", turnId: "turn", kind: "user", outcome: { kind: "interrupted" } });
  expect(counts.permissionsWaiting()).toBe(0);
  tell({ type: "permissionAnswered", request: request("b"), verdict: verdict(0) });
  expect([counts.permissionsWaiting(), counted("heddle_permission_wait_seconds")]).toEqual([0, 2]);
  expect(shown("heddle_permissions_total")).toEqual(["command denied timeOut 2"]);
});

test("the first delta of a turn is the first, however many responses it has", () => {
  const { thread, advance, shown, counted } = open();
  thread({ type: "turnStarted", turnId: "turn", kind: "review" });
  advance(300);
  for (const requestId of ["1", "2"]) {
    thread({ type: "modelAsked", turnId: "turn", requestId, provider: "p", model: "m" });
    advance(50);
    thread({ type: "answerBegun", turnId: "turn", requestId });
    thread({
      type: "modelAnswered",
      turnId: "turn",
      requestId,
      outcome: "completed",
      error: null,
      usage: null,
    });
  }
  expect([shown("heddle_turn_first_delta_seconds"), counted("heddle_turn_first_delta_seconds")]).toEqual([
    ["0.35"],
    1,
  ]);
  expect([shown("heddle_model_request_seconds"), counted("heddle_model_request_seconds")]).toEqual([
    ["0.1"],
    2,
  ]);
});

test("connections are those that are open, by their transports", () => {
  const { tell, shown } = open();
  const connection = (id: number) => ({ id }) as ClientConnection;
  tell({ type: "connectionOpened", connection: connection(0), origin: { transport: "unix", from: null } });
  tell({ type: "connectionOpened", connection: connection(1), origin: undefined });
  tell({ type: "connectionOpened", connection: connection(2), origin: { transport: "unix", from: null } });
  tell({
    type: "connectionClosed",
    connection: connection(0),
    reason: { kind: "overflow", waitingBytes: 1 },
  });
  expect(shown("heddle_connections")).toEqual(["unix 1", "memory 1"]);
  expect(shown("heddle_connections_closed_total")).toEqual(["overflow 1"]);
});

test.each([
  ["turn/start", "turn/start"],
  ["nothing/known", "unknown"],
  ["__proto__", "unknown"],
  ["constructor", "unknown"],
])("a request for %s is counted as %s", (method, counted) => {
  const { tell, shown } = open();
  const request = { kind: "request", id: 1, method, params: {} } as const;
  const error = { code: -32600, message: "secret" };
  tell({ type: "requestAnswered", request, result: undefined, error, durationMs: 1 });
  expect(shown("heddle_requests_total")).toEqual([`${counted} 1`]);
  expect(shown("heddle_request_errors_total")).toEqual([`${counted} -32600 1`]);
});

test("failures of providers have their kinds, tried again or not", () => {
  const { tell, thread, shown } = open();
  const error = {
    message: "secret",
    codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } },
    additionalDetails: null,
    misalignment: null,
  };
  const ids = { turnId: "turn", requestId: "1" };
  thread({ type: "modelRetried", ...ids, error });
  thread({
    type: "modelAnswered",
    ...ids,
    outcome: "failed",
    error: { ...error, codexErrorInfo: null },
    usage: null,
  });
  tell({ type: "modelRequestRetried", status: 503 });
  expect(shown("heddle_model_errors_total")).toEqual(["responseStreamDisconnected 1", "other 1"]);
  expect(shown("heddle_model_retries_total")).toEqual(["request 1", "response 1"]);
});

test.each([
  [true, 5, "done"],
  [false, 5, "failed"],
  [false, null, "not_run"],
])("a call that is done %s after %s ms has ended %s", (isDone, ranMs, end) => {
  const { thread, shown } = open();
  thread({ type: "callEnded", turnId: "turn", callId: "c", tool: "mcp", isDone, ranMs });
  expect(shown("heddle_tool_calls_total")).toEqual([`mcp ${end} 1`]);
});

test("an append that is lost is no time of the store", () => {
  const { thread, shown, counted } = open();
  thread({ type: "appended", isPersisted: false, durationMs: 9000 });
  thread({ type: "appended", isPersisted: true, durationMs: 2 });
  expect([shown("heddle_store_append_failures_total"), counted("heddle_store_append_seconds")]).toEqual([
    ["1"],
    1,
  ]);
});
