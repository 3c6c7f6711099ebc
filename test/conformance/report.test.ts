import { describe, expect, it } from "vitest";
import { summarise } from "./report.ts";
import type { Outcome } from "./run.ts";

const outcome = (changes: Partial<Outcome>): Outcome => ({
  scenario: "area/one",
  transport: "stdio",
  verdict: "same",
  differences: [],
  meant: [],
  additions: [],
  violations: [],
  notes: [],
  milliseconds: 5,
  ...changes,
});
const stale = {
  id: "old",
  kind: "more",
  scenario: "area/*",
  message: "**",
  pointer: "**",
  reason: "r",
} as const;

describe("summarise", () => {
  it("is green when everything is the same, meant, own or skipped", () => {
    const outcomes = [
      outcome({}),
      outcome({ verdict: "meant", meant: ["a"] }),
      outcome({ verdict: "own" }),
      outcome({ verdict: "skipped" }),
    ];
    expect(summarise(outcomes, []).green).toBe(true);
  });

  it.each(["different", "broken"] as const)("is not green when a scenario is %s", (verdict) => {
    expect(summarise([outcome({ verdict })], []).green).toBe(false);
  });

  it("names the scenarios of which the peer was played again", () => {
    const { text, green } = summarise([outcome({ peerVaries: true }), outcome({ scenario: "area/two" })], []);
    expect([green, text.match(/^.*played again.*$/gmu)]).toEqual([
      true,
      ["area/one (stdio): the peer was played again, as it varies"],
    ]);
  });

  it("is not green when a meant difference has gone away, and names it", () => {
    const { green, text } = summarise([outcome({})], [stale]);
    expect(green).toBe(false);
    expect(text).toContain(
      "meant difference old (area/*) was not seen: it no longer differs, or it differs elsewhere",
    );
  });

  it("shows where the sides differ, with both values", () => {
    const difference = { message: "response a", pointer: "/result/x", peer: 1, heddle: undefined };
    const { text } = summarise([outcome({ verdict: "different", differences: [difference] })], []);
    expect(text).toContain("  response a /result/x\n      peer   1\n      heddle (nothing)");
  });
});
