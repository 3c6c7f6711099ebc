import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { play } from "./play.ts";
import type { Scenario } from "./scenario.ts";
import { call, STDIO } from "./steps.ts";

/** A server that echoes params, sends a notification with each answer, and leaves `silent` unanswered. */
const ECHO = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "silent") return;
  const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
  say({ id, result: { ...params, home: process.env.CODEX_HOME } });
  say({ method: "echoed", params: { of: method }, emittedAtMs: Date.now() });
}).on("close", () => process.exit(7));`;

const side = { program: { command: process.execPath, args: ["-e", ECHO, "--"] }, homes: tmpdir() };

function scenario(steps: Scenario["steps"]): Scenario {
  return { name: "test/one", about: "A test.", transports: STDIO, steps };
}

describe("play", () => {
  it("records every message and fact in order, with names for what differs from run to run", async () => {
    const steps = [
      call("first", { a: 1 }, { expect: { result: { a: 1, home: "{{home}}" } } }),
      call("second", { a: "{{first.result.a}}" }, { settles: true }),
      { do: "endInput" },
      { do: "exit" },
    ] as const;
    const { normalised } = await play(scenario(steps), "stdio", side);
    expect(normalised.entries.map(({ key, value }) => [key, value])).toEqual([
      ["response first", { id: 1, result: { a: 1, home: "<home>" } }],
      ["echoed", { method: "echoed", params: { of: "first" }, emittedAtMs: "<time>" }],
      ["response second", { id: 2, result: { a: 1, home: "<home>" } }],
      ["echoed", { method: "echoed", params: { of: "second" }, emittedAtMs: "<time>" }],
      ["exit", { code: 7, signal: null }],
    ]);
    expect([normalised.unmet, normalised.stalled]).toEqual([[], undefined]);
  });

  it("notes expectations that do not hold and goes on", async () => {
    const { recording } = await play(
      scenario([call("one", { a: 1 }, { expect: { result: { a: 2 } } })]),
      "stdio",
      side,
    );
    expect(recording.unmet.map(({ entry }) => entry)).toEqual(["response one"]);
  });

  it("says where a side stopped when the scenario cannot go on", async () => {
    const { recording } = await play(scenario([{ do: "answer", to: "nobody", result: {} }]), "stdio", side);
    expect(recording.stalled).toBeDefined();
  });
});
