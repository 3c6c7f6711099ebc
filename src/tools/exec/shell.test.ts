import { expect, test } from "vitest";
import { findDefaultShell, findNamedShell, shellArguments, startUpFiles, withoutWritten } from "./shell.ts";

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

test("the model's shell name selects the kind of a shell and not its file", () => {
  expect(findNamedShell("/tmp/evil/bash", search)).toEqual({ kind: "bash", path: "/bin/bash" });
  expect(findNamedShell("bash.exe", search)).toEqual({ kind: "bash", path: "/bin/bash" });
  expect(findNamedShell("fish", search)).toEqual({ kind: "sh", path: "/bin/sh" });
});

test("a shell runs a script as a login shell or not", () => {
  expect(shellArguments({ kind: "sh", path: "/bin/sh" }, "ls", true)).toEqual(["/bin/sh", "-lc", "ls"]);
  expect(shellArguments({ kind: "sh", path: "/bin/sh" }, "ls", false)).toEqual(["/bin/sh", "-c", "ls"]);
});

test("start-up files are those of the home, and those that variables name", () => {
  const files = startUpFiles({ HOME: "/h", ZDOTDIR: "/z", BASH_ENV: "/b/env", ENV: "relative" });
  expect(files).toEqual(expect.arrayContaining(["/h/.profile", "/h/.bashrc", "/z/.zshenv", "/b/env"]));
  expect(files.filter((file) => file.includes("relative"))).toEqual([]);
  expect(startUpFiles({})).toEqual([]);
});

test("nothing leads to files that a confined command could have written", () => {
  const isWritten = (path: string) => path.startsWith("/ws");
  const given = { PATH: "/ws/bin:/usr/bin:bin::/bin", BASH_ENV: "/ws/env", ENV: "/etc/env", OTHER: "/ws/x" };
  expect(withoutWritten(given, isWritten)).toEqual({
    PATH: "/usr/bin:/bin",
    ENV: "/etc/env",
    OTHER: "/ws/x",
  });
  expect(withoutWritten({ ENV: "here", LD_PRELOAD: "x.so /ws/y.so" }, isWritten)).toEqual({});
  const loading = { LD_LIBRARY_PATH: "/ws/lib:/opt/lib::lib", PYTHONPATH: "/ws", NODE_PATH: "/opt" };
  expect(withoutWritten(loading, isWritten)).toEqual({ LD_LIBRARY_PATH: "/opt/lib", NODE_PATH: "/opt" });
});

test.each<[variable: string, value: string, isKept: boolean]>([
  ["NODE_OPTIONS", "--max-old-space-size=4096 --enable-source-maps", true],
  ["NODE_OPTIONS", "--require /opt/debug.js", true],
  ["NODE_OPTIONS", '--require "/opt/debug.js"', true],
  ["NODE_OPTIONS", "--import file:///opt/debug.mjs", true],
  ["NODE_OPTIONS", "--require=/ws/x.js", false],
  ["NODE_OPTIONS", "--import file:///ws/x.mjs", false],
  ["NODE_OPTIONS", "-r ./x.js", false],
  ["NODE_OPTIONS", "-r x", false],
  ["PERL5OPT", "-I/ws/lib -MX", false],
  ["RUBYOPT", "-W0", true],
  ["RUBYOPT", "-r./x", false],
  ["JAVA_TOOL_OPTIONS", "-javaagent:/ws/x.jar", false],
  ["JAVA_TOOL_OPTIONS", "-Dfile.encoding=UTF8", true],
  ["GEM_HOME", "/ws/.gem", false],
])(
  "%s=%s names files that sandboxed commands can write, unless it is retained: %s",
  (variable, value, isKept) => {
    const isWritten = (path: string) => path.replace(/^\/+/, "/").startsWith("/ws/");
    expect(withoutWritten({ [variable]: value }, isWritten)).toEqual(isKept ? { [variable]: value } : {});
  },
);
