import { expect, test } from "vitest";
import { startUpFiles, withoutWritten } from "./start-up-files.ts";

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
