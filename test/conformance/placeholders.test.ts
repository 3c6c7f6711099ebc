import { describe, expect, it } from "vitest";
import { fill } from "./placeholders.ts";

const known = new Map<string, unknown>([
  ["home", "/home"],
  ["thread/start", { result: { thread: { id: "t-1", turns: [{ id: 5 }] } } }],
]);

describe("fill", () => {
  it("puts values into texts and keys, at any depth", () => {
    const template = { path: "{{home}}/config.toml", "{{home}}": ["{{thread/start.result.thread.id}}"] };
    expect(fill(template, known)).toEqual({ path: "/home/config.toml", "/home": ["t-1"] });
  });

  it("keeps the type of a value that is the whole text", () => {
    expect(fill("{{thread/start.result.thread.turns.0.id}}", known)).toBe(5);
  });

  it("leaves what is no placeholder alone", () => {
    expect(fill({ a: 1, b: null, c: "{x}" }, known)).toEqual({ a: 1, b: null, c: "{x}" });
  });

  it("names what it does not know", () => {
    expect(() => fill("{{nothing}}", known)).toThrow("nothing is known as {{nothing}}");
  });
});
