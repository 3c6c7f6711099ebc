import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { processorTime } from "../../../base/processor-time.fixture.ts";
import { joinWords } from "../../../base/shlex.ts";
import type { CommandAction } from "../../../protocol/generated/types.ts";
import { commandActions } from "./command-actions.ts";

interface Sample {
  readonly script: string;
  readonly command: string;
  readonly actions: CommandAction[];
}

/** Recorded from the peer. */
const samples = readFileSync(new URL("../fixtures/commands.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Sample);

describe("a command summary for clients", () => {
  test.each(samples)("$script", ({ script, command, actions }) => {
    const argv = ["/bin/bash", "-lc", script];
    expect({ command: joinWords(argv), actions: commandActions(argv, "/project") }).toEqual({
      command,
      actions,
    });
  });

  test("is summed up without a shell too", () => {
    expect(commandActions(["cat", "a.txt"], "/project")).toEqual([
      { type: "read", command: "cat a.txt", name: "a.txt", path: "/project/a.txt" },
    ]);
  });
});

describe("a command that is slow to summarize", () => {
  const many = (piece: string, characters = 65_000) => piece.repeat(Math.floor(characters / piece.length));

  test.each([
    `${many("foo | ", 30_000)}${many("nl -b | ", 30_000)}x`,
    `${many("echo ; ")}ls`,
    `${many("cd a; ")}cat b`,
    `cd /${"a".repeat(30_000)}; ${many("cat b; ", 20_000)}cat c`,
    many("a ", 10_000_000),
    `echo "${"a".repeat(20_000_000)}"`,
  ])("is shown as one action immediately", (script) => {
    const argv = ["bash", "-lc", script];
    const actions = commandActions(argv, "/project");
    expect(actions.map(({ type }) => type)).toEqual(["unknown"]);
    expect(processorTime(() => commandActions(argv, "/project"))).toBeLessThan(100);
  });

  test("does not become many long paths", () => {
    const script = `cd /${"a/".repeat(2000)}; ${"cat b; cat c; ".repeat(100)}`;
    const shown = JSON.stringify(commandActions(["bash", "-lc", script], "/project"));
    expect(shown.length).toBeLessThan(1_100_000);
    expect(commandActions(["bash", "-lc", `cd /${"a/".repeat(3000)}; cat b`], "/project")).toEqual([
      { type: "unknown", command: expect.any(String) },
    ]);
  });
});
