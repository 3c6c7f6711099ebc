import { existsSync, statSync, symlinkSync, utimesSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTestHome } from "./config.fixture.ts";
import { replaceFile, resolveWriteTarget } from "./config-file.ts";

describe("replacing a file", () => {
  test("makes it with the folders above it", async () => {
    const { root, ...home } = createTestHome();
    const target = path.join(root, "a/b/config.toml");
    expect(await replaceFile({ target, text: undefined }, "new\n", "tmp")).toBe("replaced");
    expect([home.read("a/b/config.toml"), home.list("a/b")]).toEqual(["new\n", ["config.toml"]]);
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["old\n", undefined],
    ["other\n", "old\n"],
    [undefined, "old\n"],
  ])("leaves %j alone when it was thought to be %j", async (actual, text) => {
    const home = createTestHome(actual);
    expect(await replaceFile({ target: home.configFile, text }, "new\n", "tmp")).toBe("changed");
    expect(existsSync(home.configFile) ? home.read("home/config.toml") : undefined).toBe(actual);
    expect(home.list("home")).toEqual(actual === undefined ? [] : ["config.toml"]);
  });

  test("waits for another process that is about to replace it", async () => {
    const home = createTestHome("old\n");
    home.write("home/.config.toml.lock", "");
    const attempt = () => replaceFile({ target: home.configFile, text: "old\n" }, "new\n", "tmp");
    expect(await attempt()).toBe("changed");
    expect(home.read("home/config.toml")).toBe("old\n");
  });

  test("goes on after a process that died on the way", async () => {
    const home = createTestHome("old\n");
    const lock = home.write("home/.config.toml.lock", "");
    const longAgo = Date.now() / 1000 - 60;
    utimesSync(lock, longAgo, longAgo);
    const attempt = () => replaceFile({ target: home.configFile, text: "old\n" }, "new\n", "tmp");
    expect([await attempt(), await attempt()]).toEqual(["changed", "replaced"]);
    expect(home.list("home")).toEqual(["config.toml"]);
  });
});

test("links in a circle have no target", async () => {
  const home = createTestHome();
  symlinkSync("config.toml", home.configFile);
  await expect(resolveWriteTarget(home.configFile)).rejects.toThrow("too many symbolic links");
});
