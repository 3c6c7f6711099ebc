import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
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

describe("a command as clients see it", () => {
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
