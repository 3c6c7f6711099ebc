import { describe, expect, it } from "vitest";
import { globToRegExp } from "./glob.ts";

describe("globToRegExp", () => {
  it.each([
    ["/result/*", "/result/model", true],
    ["/result/*", "/result/model/name", false],
    ["/result/**", "/result/model/name", true],
    ["**", "", true],
    ["response a.b", "response axb", false],
    ["config-*/one", "config-read/one", true],
  ])("%s matches %s: %s", (glob, text, matched) => {
    expect(globToRegExp(glob).test(text)).toBe(matched);
  });
});
