import { expect, test } from "vitest";
import type { HookMetadata } from "../../protocol/generated/types.ts";
import { describeTrust, nameOf, needsLook, scriptPaths } from "./describe-hook.ts";

test.each([
  ["./hooks/check.sh --fast", ["/repo/hooks/check.sh"]],
  ["python3 check.py", ["/repo/check.py"]],
  ["/usr/bin/env bash '/opt/my hooks/a.sh' | tee /dev/null", ["/opt/my hooks/a.sh"]],
  ["jq -r .x && exit 2", []],
  ["curl https://example.com/x.sh $HOME/a.sh PATH=/x", []],
])("the command `%s` names %j", (command, paths) => {
  expect(scriptPaths(command, "/repo")).toEqual(paths);
});

const hook = (members: object) =>
  ({ statusMessage: null, handlerType: "command", ...members }) as HookMetadata;

test("a hook is called by its message, its script or its command", () => {
  expect(nameOf(hook({ statusMessage: " Checks ", command: "a" }))).toBe("Checks");
  expect(nameOf(hook({ command: "./hooks/check.sh -q" }))).toBe("check.sh");
  expect(nameOf(hook({ command: "exit 1\nmore" }))).toBe("exit 1");
  expect(nameOf(hook({ handlerType: "mcpTool", server: "lint", tool: "run" }))).toBe("lint.run");
});

test("a hook without trust needs somebody, unless it is switched off", () => {
  expect(needsLook({ trustStatus: "modified", enabled: true })).toBe(true);
  expect(needsLook({ trustStatus: "untrusted", enabled: false })).toBe(false);
  expect(describeTrust({ trustStatus: "untrusted", enabled: false }).words).toBe("switched off");
});
