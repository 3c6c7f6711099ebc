import { describe, expect, it } from "vitest";
import { normalise } from "./normalise.ts";
import type { Entry } from "./recording.ts";

const A = "0190aaaa-0000-7000-8000-000000000001";
const B = "0190aaaa-0000-7000-8000-000000000002";
const known = new Map([
  ["home", "/tmp/x/home"],
  ["root", "/tmp/x"],
  ["model", "http://127.0.0.1:4000"],
]);

const message = (value: unknown, key = "thread/started"): Entry => ({ channel: "main", key, value });
const values = (entries: readonly Entry[], unsteady = {}) =>
  normalise({ entries, unmet: [] }, known, unsteady).entries.map(({ value }) => value);

describe("normalise", () => {
  it("numbers ids by first appearance, so that equal ids stay equal", () => {
    expect(values([message({ id: A, sessionId: A }), message({ id: B, from: `fork of ${A}` })])).toEqual([
      { id: "<uuid:1>", sessionId: "<uuid:1>" },
      { id: "<uuid:2>", from: "fork of <uuid:1>" },
    ]);
  });

  it("numbers ids in the same way whatever the order of members", () => {
    expect(values([message({ b: B, a: A })])).toEqual(values([message({ a: A, b: B })]));
  });

  it("numbers the server's own requests from wherever they begin, and what says that they are over", () => {
    const asked = (id: number): Entry => ({
      ...message({ id, method: "ask", params: { id } }, "request ask"),
      sent: { kind: "request", method: "ask" },
    });
    const over = (requestId: number) => message({ params: { requestId } }, "serverRequest/resolved");
    expect(values([asked(0), asked(1), over(1), over(0)])).toEqual([
      { id: "<request:1>", method: "ask", params: { id: 0 } },
      { id: "<request:2>", method: "ask", params: { id: 1 } },
      { params: { requestId: "<request:2>" } },
      { params: { requestId: "<request:1>" } },
    ]);
    expect(values([asked(77), over(77)])).toMatchObject([
      { id: "<request:1>" },
      { params: { requestId: "<request:1>" } },
    ]);
  });

  it("replaces what a command's report has of chance", () => {
    const report =
      "Chunk ID: a1b2c3\nWall time: 0.0512 seconds\nDuration: 1.5 seconds\nProcess running with session ID 4711";
    expect(values([message([report, '{"session_id":4711,"chars":"x"}'])])).toEqual([
      [
        "Chunk ID: <chunk>\nWall time: <time> seconds\nDuration: <time> seconds\nProcess running with session ID <process>",
        '{"session_id":<process>,"chars":"x"}',
      ],
    ]);
  });

  it("replaces the day on which the model was asked", () => {
    expect(values([message("<current_date>2026-11-16</current_date> of 2026-11-16")])).toEqual([
      "<current_date><date></current_date> of 2026-11-16",
    ]);
  });

  it("replaces times, paths, ports and process ids, and leaves other numbers alone", () => {
    const value = {
      createdAt: 1794724048,
      emittedAtMs: 1794724048649,
      startedAt: null,
      limit: 25,
      path: "/tmp/x/home/sessions/2026/11/15/rollout-2026-11-15T06-27-28-a.jsonl",
      file: "/tmp/x/other",
      url: "http://127.0.0.1:4000/v1 and 127.0.0.1:5000",
      at: "2026-11-15T06:27:28.613Z",
      processId: "123",
    };
    expect(values([message(value)])).toEqual([
      {
        createdAt: "<time>",
        emittedAtMs: "<time>",
        startedAt: null,
        limit: 25,
        path: "<home>/sessions/<date>/rollout-<time>-a.jsonl",
        file: "<root>/other",
        url: "<model>/v1 and 127.0.0.1:<port>",
        at: "<time>",
        processId: "<process>",
      },
    ]);
  });

  it("masks volatile members by their type", () => {
    const unsteady = { volatile: [{ message: "thread/*", pointer: "/process/*" }] };
    expect(values([message({ process: { id: 7, name: null } })], unsteady)).toEqual([
      { process: { id: "<number>", name: "<null>" } },
    ]);
  });

  it("leaves out messages that race", () => {
    expect(values([message({}, "turn/completed"), message({ a: 1 })], { races: ["turn/completed"] })).toEqual(
      [{ a: 1 }],
    );
  });
});
