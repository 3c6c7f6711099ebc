import { expect, test } from "vitest";
import { denialHint } from "./sandbox.ts";

test.each<[string, string, number | null, string | null]>([
  [
    "a file that cannot be written",
    "sh: 1: cannot create x: Read-only file system\n",
    2,
    "read-only file system",
  ],
  ["a folder of somebody else", "mkdir: cannot create directory: Permission denied", 1, "permission denied"],
  ["a socket", "PermissionError: [Errno 1] Operation not permitted", 1, "operation not permitted"],
  ["capital letters", "OPERATION NOT PERMITTED", 1, "operation not permitted"],
  ["a command that succeeded all the same", "x: Permission denied", 0, null],
  ["a failure of another kind", "1 test failed", 1, null],
  ["a program that is not there", "sh: nope: not found", 127, null],
  ["a call that a filter ended", "", 159, "seccomp"],
  ["another signal", "", 137, null],
  ["an end by signal without a code", "Permission denied", null, "permission denied"],
])("%s", (_, output, exitCode, hint) => {
  expect(denialHint(output, exitCode)).toBe(hint);
});
