import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type MeantDifference, meantDifferences, omissions, sortDifferences } from "./differences.ts";
import { compatibility, compatibilityPage } from "./docs.ts";
import { globToRegExp } from "./glob.ts";
import { scenarios } from "./scenarios/index.ts";

const entry = (changes: Partial<MeantDifference>): MeantDifference => ({
  id: "one",
  kind: "more",
  scenario: "**",
  message: "**",
  pointer: "**",
  reason: "because",
  ...changes,
});
const difference = { message: "response a", pointer: "/result/x", peer: 1, heddle: 2 };

describe("sortDifferences", () => {
  it("takes a listed difference as meant and names the entry", () => {
    const list = [entry({ scenario: "area/*", message: "response *", pointer: "/result/**" })];
    expect(sortDifferences("area/one", [difference], list)).toEqual({ meant: ["one"], unexpected: [] });
  });

  it.each([{ scenario: "other/*" }, { message: "response b" }, { pointer: "/error/**" }])(
    "leaves a difference unexpected when the entry is about something else: %o",
    (changes) => {
      expect(sortDifferences("area/one", [difference], [entry(changes)])).toEqual({
        meant: [],
        unexpected: [difference],
      });
    },
  );
});

describe("the list of meant differences", () => {
  it("has unique ids", () => {
    const ids = [...meantDifferences, ...omissions].map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it("names scenarios that exist", () => {
    const names = scenarios.map(({ name }) => name);
    const lost = meantDifferences.filter(
      ({ scenario }) => !names.some((name) => globToRegExp(scenario).test(name)),
    );
    expect(lost.map(({ id }) => id)).toEqual([]);
  });

  it("is what the compatibility page says", async () => {
    expect(await readFile("docs/compatibility.md", "utf8")).toBe(compatibilityPage(compatibility));
  });
});
