import { expect, test } from "vitest";
import type { ThreadEvent } from "../../engine/state/events.ts";
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { createMemoryTracer } from "./memory-tracer.fixture.ts";
import { recordSpans } from "./record-spans.ts";

function open() {
  let now = 1000;
  const { tracer, spans, named } = createMemoryTracer();
  const clock = { now: () => now };
  const record = recordSpans({ tracer, clock, defaultParent: null, attributes: { team: "blue" } });
  const tell = (...events: readonly ThreadEvent[]): void => {
    for (const event of events) {
      record({ type: "thread", threadId: "thread", event });
      now += 10;
    }
  };
  /** A request for a turn, with a trace, was answered. */
  const answer = (turnId: string, traceId: string): void =>
    record({
      type: "requestAnswered",
      request: {
        kind: "request",
        id: 1,
        method: "turn/start",
        params: {},
        trace: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
      },
      result: { turn: { id: turnId } },
      error: null,
      durationMs: 1,
    });
  return { record, tell, answer, spans, named };
}

const started = (turnId: string): ThreadEvent => ({ type: "turnStarted", turnId, kind: "user" });
const ended = (turnId: string): ThreadEvent => ({
  type: "turnEnded",
  turnId,
  kind: "user",
  outcome: { kind: "interrupted" },
});
const run = (runId: string, status: HookRunSummary["status"]) =>
  ({ runId, status, eventName: "preToolUse", handlerType: "command" }) as HookRunSummary;
const hookBegun = (runId: string, callId: string | null): ThreadEvent => ({
  type: "hookBegun",
  turnId: "turn",
  callId,
  run: run(runId, "running"),
});

test("a turn that ends ends what has begun in it, and what is told later changes nothing", () => {
  const { tell, spans } = open();
  tell(
    started("turn"),
    { type: "modelAsked", turnId: "turn", requestId: "1", provider: "p", model: "m".repeat(500) },
    { type: "callBegun", turnId: "turn", callId: "call" },
    ended("turn"),
    { type: "callEnded", turnId: "turn", callId: "call", tool: "exec_command", isDone: true, ranMs: 5 },
    { type: "callBegun", turnId: "turn", callId: "late" },
  );
  expect(spans.map(({ name, endedAtMs }) => [name, endedAtMs])).toEqual([
    ["turn", 1030],
    ["model request", 1030],
    ["tool call", 1030],
  ]);
  expect(spans[1]?.attributes).toMatchObject({ team: "blue", "gen_ai.request.model": `${"m".repeat(128)}…` });
});

test("calls of one id in two turns are two, and so are a call and a request of one id", () => {
  const { tell, named } = open();
  tell(started("a"), started("b"));
  tell({ type: "callBegun", turnId: "a", callId: "x" }, { type: "callBegun", turnId: "b", callId: "x" });
  tell({ type: "modelAsked", turnId: "a", requestId: "x", provider: "p", model: "m" });
  tell({ type: "callEnded", turnId: "b", callId: "x", tool: "mcp", isDone: false, ranMs: null });
  const [a, b] = named("turn");
  expect(
    named("tool call").map(({ parent, error, endedAtMs }) => [parent?.spanId, error, endedAtMs !== null]),
  ).toEqual([
    [a?.spanId, null, false],
    [b?.spanId, "toolFailed", true],
  ]);
});

test("hooks outlive their turns, one of a call that is not known is below the turn, one of no turn is the first", () => {
  const { tell, named } = open();
  tell(hookBegun("0", null), started("turn"), hookBegun("1", null), hookBegun("2", "call"), ended("turn"));
  tell({ type: "hookEnded", turnId: "turn", run: run("1", "failed") });
  const [turn] = named("turn");
  expect(named("hook").map(({ parent, endedAtMs, error }) => [parent?.spanId, endedAtMs, error])).toEqual([
    [undefined, null, null],
    [turn?.spanId, 1050, "hookFailed"],
    [turn?.spanId, null, null],
  ]);
});

test("no more than so many traces wait for their turns, and no more than so many hooks are open", () => {
  const { tell, answer, named } = open();
  const traceId = (at: number) => (at + 1).toString(16).padStart(32, "0");
  for (let at = 0; at < 1025; at++) answer(`turn ${at}`, traceId(at));
  tell(started("turn 0"), started("turn 1"), started("turn 1024"));
  expect(named("turn").map(({ parent }) => parent?.traceId)).toEqual([undefined, traceId(1), traceId(1024)]);
  tell(...Array.from({ length: 1500 }, (_none, at) => hookBegun(`run ${at}`, null)));
  expect(named("hook")).toHaveLength(1024);
});

test("a turn that runs keeps its trace, whatever later requests name", () => {
  const { tell, answer, named } = open();
  answer("turn", "a".repeat(32));
  tell(started("turn"));
  answer("turn", "b".repeat(32));
  tell(ended("turn"), started("turn"));
  expect(named("turn").map(({ parent }) => parent?.traceId)).toEqual(["a".repeat(32), undefined]);
});
