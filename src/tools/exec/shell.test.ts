import { expect, test } from "vitest";
import { findDefaultShell, findNamedShell, shellArguments } from "./shell.ts";

const search = {
  account: "/bin/bash",
  path: "/usr/bin:/bin",
  platform: "linux",
  isWritten: () => false,
} as const;

test("the account's shell is the default, by the path that the account has", () => {
  expect(findDefaultShell(search)).toEqual({ kind: "bash", path: "/bin/bash" });
  expect(findDefaultShell({ ...search, account: "/bin/sh" })).toEqual({ kind: "sh", path: "/bin/sh" });
});

test("an account with another shell gets bash", () => {
  expect(findDefaultShell({ ...search, account: "/usr/sbin/nologin", path: undefined })).toEqual({
    kind: "bash",
    path: "/bin/bash",
  });
  expect(findDefaultShell({ ...search, account: null }).kind).toBe("bash");
});

test("a model's words choose the kind of a shell and not its file", () => {
  expect(findNamedShell("/tmp/evil/bash", search)).toEqual({ kind: "bash", path: "/bin/bash" });
  expect(findNamedShell("bash.exe", search)).toEqual({ kind: "bash", path: "/bin/bash" });
  expect(findNamedShell("fish", search)).toEqual({ kind: "sh", path: "/bin/sh" });
});

test("a shell is told to run a script, as a login shell or not", () => {
  expect(shellArguments({ kind: "sh", path: "/bin/sh" }, "ls", true)).toEqual(["/bin/sh", "-lc", "ls"]);
  expect(shellArguments({ kind: "sh", path: "/bin/sh" }, "ls", false)).toEqual(["/bin/sh", "-c", "ls"]);
});
