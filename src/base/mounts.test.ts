import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { mountOf } from "./mounts.ts";

test.runIf(existsSync("/proc/self/mountinfo"))("paths lie on the innermost mount around them", () => {
  const paths = ["/", "/no-such-mount/a", "/proc", "/proc/self/status", "/process", "/proc/../etc"];
  expect(paths.map(mountOf)).toEqual(["/", "/", "/proc", "/proc", "/", mountOf("/etc")]);
});
