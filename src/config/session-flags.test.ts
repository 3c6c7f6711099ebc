import { describe, expect, test } from "vitest";
import { buildSessionTable, parseFlags, type SessionFlags, threadOverrides } from "./session-flags.ts";
import { toJson } from "./toml/toml-value.ts";

function tableOf(flags: SessionFlags): unknown {
  const parsed = parseFlags(flags);
  return parsed.ok ? toJson(buildSessionTable(parsed.overrides)) : parsed.message;
}

describe("flags", () => {
  test("values are TOML, or plain strings if they are not", () => {
    const config = [
      "a=1_000",
      "b=true",
      'c="x"',
      "d=hello world",
      "e=[1, 2]",
      "f={g = 1}",
      "h='x'y",
      "i=",
      "j=a=b",
    ];
    expect(tableOf({ config })).toEqual({
      a: 1000,
      b: true,
      c: "x",
      d: "hello world",
      e: [1, 2],
      f: { g: 1 },
      h: "x'y",
      i: "",
      j: "a=b",
    });
  });

  test("keys are dotted paths and the last one wins", () => {
    expect(tableOf({ config: ["a.b.c=1", "a.b.d=2", "a.b.c=3", "m=1", "m.n=2"] })).toEqual({
      a: { b: { c: 3, d: 2 } },
      m: { n: 2 },
    });
  });

  test("features are switched", () => {
    expect(tableOf({ enable: ["memories"], disable: ["mentions_v2"] })).toEqual({
      features: { memories: true, mentions_v2: false },
    });
  });

  test.each<[SessionFlags, string]>([
    [{ config: ["foo"] }, "error parsing -c overrides: Invalid override (missing '='): foo"],
    [{ config: ["=foo"] }, "error parsing -c overrides: Empty key in override: =foo"],
    [{ enable: ["nope"] }, "Unknown feature flag: nope"],
  ])("%j is refused", (flags, message) => {
    expect(tableOf(flags)).toBe(message);
  });
});

test("the config of a thread takes dotted keys and JSON values", () => {
  const overrides = threadOverrides({ "tui.theme": "dark", "a.b": null, c: { d: [1, 1.5, null] } });
  expect(toJson(buildSessionTable(overrides))).toEqual({
    tui: { theme: "dark" },
    a: { b: "" },
    c: { d: [1, 1.5, ""] },
  });
});
