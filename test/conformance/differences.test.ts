import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { compare } from "./compare.ts";
import {
  additions,
  leaveOutAdditions,
  type MeantDifference,
  meantDifferences,
  omissions,
  sortDifferences,
} from "./differences.ts";
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

  it("looks at what differs where an entry says what that contains", () => {
    const said = { ...difference, peer: { message: "Model metadata for x" }, heddle: undefined };
    const list = [entry({ text: "Model metadata for " })];
    expect(sortDifferences("area/one", [said], list).meant).toEqual(["one"]);
    expect(sortDifferences("area/one", [difference], list).unexpected).toEqual([difference]);
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

describe("leaveOutAdditions", () => {
  const list = [{ id: "notes", pointer: "**/notes", reason: "because" }];
  const recordingOf = (value: unknown) => ({
    entries: [{ channel: "main", key: "response a", value }],
    unmet: [],
  });

  it("takes a member away wherever it stands, and names the addition", () => {
    const { recording, seen } = leaveOutAdditions(
      recordingOf({ result: { turns: [{ id: 1, notes: [] }], notes: 2, note: 3 } }),
      list,
    );
    expect(recording).toEqual(recordingOf({ result: { turns: [{ id: 1 }], note: 3 } }));
    expect(seen).toEqual(["notes"]);
  });

  it("shows a difference where the peer has the member as well", () => {
    const peer = recordingOf({ result: { notes: [] } });
    const { recording } = leaveOutAdditions(recordingOf({ result: { notes: [] } }), list);
    expect(compare(peer, recording)).toMatchObject([{ pointer: "/result/notes", heddle: undefined }]);
  });

  it("names no addition that is not there, so that one that has gone away fails the run", () => {
    expect(leaveOutAdditions(recordingOf({ result: {} }), list).seen).toEqual([]);
  });
});

describe("the list of meant differences", () => {
  it("has unique ids", () => {
    const ids = [...additions, ...meantDifferences, ...omissions].map(({ id }) => id);
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
