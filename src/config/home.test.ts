import { statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTestHome } from "./config.fixture.ts";
import { prepareHome, resolveHome } from "./home.ts";

describe("the home folder", () => {
  test.each([
    [{ HEDDLE_HOME: "/h", CODEX_HOME: "/c" }, "/h"],
    [{ CODEX_HOME: "/c" }, "/c"],
    [{ HEDDLE_HOME: "", CODEX_HOME: "" }, "/user/.codex"],
    [{}, "/user/.codex"],
  ])("with %j is %s", (env, expected) => {
    expect(resolveHome(env, "/user")).toBe(expected);
  });

  test("is made for its owner only", () => {
    const home = path.join(createTestHome().root, "new/home");
    expect(prepareHome(home)).toEqual({ ok: true, home });
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });
});
