import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { readOutcome } from "../events/read-outcome.ts";
import { type FakeHook, fakeHooks } from "../hooks.fixture.ts";
import { runHooks } from "./run-hooks.ts";

test.each([
  ["open", null],
  ["closed", "hook could not be run: gone"],
] as const)("a handler that throws has failed, with onFailure %s", async (onFailure, block) => {
  const event = "PreToolUse";
  const fake: FakeHook = { event, onFailure, run: () => Promise.reject(new Error("gone")) };
  const { configured, runHandler } = fakeHooks([fake]);
  const { signal } = new AbortController();
  const call = { event, scope: "turn", suffix: null, cwd: "/", input: {}, inputText: "{}", signal } as const;
  const planned = (await configured()).hooks.map((hook) => ({ hook, call }));
  const [finished] = await runHooks(planned, {
    clock: systemClock,
    createId: () => "id",
    runHandler,
    readOutcome: (hook, result) => readOutcome(event, result, hook),
    report: { started() {}, completed() {} },
  });
  expect(finished?.run.status).toBe("failed");
  expect(finished?.run.entries[0]?.text).toContain("hook could not be run: gone");
  expect(finished?.outcome.effect.block).toBe(block);
});
