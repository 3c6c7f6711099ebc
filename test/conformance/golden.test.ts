import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readGolden, renewGolden, toLines, toTrace, writeGolden } from "./golden.ts";
import type { Entry } from "./recording.ts";

const response = (label: string, method: string, result: unknown): Entry => ({
  channel: "main",
  key: `response ${label}`,
  value: { id: 1, result },
  sent: { kind: "response", method },
});
const notice = (method: string, params: unknown): Entry => ({
  channel: "main",
  key: method,
  value: { method, params },
  sent: { kind: "notification", method },
});
const traceOf = (entries: readonly Entry[], freeOrder: readonly string[] = []) =>
  toTrace({ entries, unmet: [] }, { freeOrder: [freeOrder] });

const NO_GOLDEN = { usual: {}, lines: new Map<string, readonly string[]>() };

describe("toTrace", () => {
  it("names ids after the member that they are first seen in, wherever their message came", () => {
    const turn = response("turn", "turn/start", { turn: { id: "<uuid:7>" } });
    const started = notice("started", { threadId: "<uuid:3>", turnId: "<uuid:7>" });
    const lines = [
      'started ={"params":{"threadId":"<thread:1>","turnId":"<turn:1>"}}',
      'response turn ={"result":{"turn":{"id":"<turn:1>"}}}',
    ];
    expect(toLines(traceOf([started, turn], ["response turn"]), {})).toEqual(lines);
    expect(toLines(traceOf([turn, started], ["response turn"]), {})).toEqual(lines);
  });

  it("tells where a scenario came to a halt", () => {
    const trace = toTrace({ entries: [], unmet: [], stalled: "no answer" }, {});
    expect(toLines(trace, {})).toEqual(['stalled ="no answer"']);
  });
});

describe("golden traces", () => {
  const usual = response("a", "list", { data: [], next: null });
  const other = response("b", "list", { data: [1], more: true });
  const traces = new Map([
    ["area/one (stdio)", traceOf([usual, usual])],
    ["area/two (ws)", traceOf([usual, other])],
  ]);

  it("tell a message by how it differs from the usual one of its kind", () => {
    const golden = renewGolden(NO_GOLDEN, traces);
    expect(golden.lines.get("area/one (stdio)")).toEqual(["response a", "response a"]);
    expect(golden.lines.get("area/two (ws)")).toEqual([
      "response a",
      "response b /result/data=[1] -/result/next /result/more=true",
    ]);
  });

  it("are renewed one by one without a change to the others", () => {
    const golden = renewGolden(NO_GOLDEN, traces);
    const renewed = renewGolden(golden, new Map([["area/two (ws)", traceOf([other])]]));
    expect(renewed.usual).toEqual(golden.usual);
    expect([...renewed.lines]).toEqual([
      ["area/one (stdio)", ["response a", "response a"]],
      ["area/two (ws)", ["response b /result/data=[1] -/result/next /result/more=true"]],
    ]);
  });

  it("come back from their files as they were", async () => {
    const folder = await mkdtemp(join(tmpdir(), "heddle-golden-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeGolden(renewGolden(NO_GOLDEN, traces), folder);
    expect(await readGolden(folder)).toEqual(renewGolden(NO_GOLDEN, traces));
  });
});
