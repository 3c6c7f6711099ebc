import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Family, planRetention, type RetentionLimits } from "./plan-retention.ts";

const DAY = 86_400_000;
const NOW = 1000 * DAY;

interface Known extends Family {
  readonly packed: number;
}

function family(rootId: string, members: Partial<Known> = {}): Known {
  return {
    rootId,
    lastActiveMs: NOW,
    archivedSinceMs: null,
    bytes: 100,
    isPackable: (members.archivedSinceMs ?? null) !== null,
    protection: null,
    basedOn: [],
    packed: 20,
    ...members,
  };
}

const old = { lastActiveMs: NOW - 31 * DAY };
const archived = { archivedSinceMs: NOW - DAY };
const gone = { ...old, archivedSinceMs: NOW - 31 * DAY };

async function fates(families: readonly Known[], limits: Partial<RetentionLimits>, nowMs = NOW) {
  const plan = await planRetention({
    families,
    limits: { maxAgeMs: null, maxBytes: null, ...limits },
    nowMs,
    packedBytes: async ({ packed }) => packed,
  });
  return new Map(plan.map(({ family: { rootId }, kind }) => [rootId, kind]));
}

const age = { maxAgeMs: 30 * DAY };

describe("by age, a thread", () => {
  test.each<[string, Partial<Known>, string]>([
    ["in which something has happened lately stays", {}, "keep"],
    ["that has rested for too long is archived", old, "archive"],
    ["that has rested for as long as is allowed stays", { lastActiveMs: NOW - 30 * DAY }, "keep"],
    ["that was archived lately is packed", { ...old, ...archived }, "pack"],
    ["that has been archived for too long is deleted", gone, "delete"],
    ["that was alive in the archive stays", { ...gone, lastActiveMs: NOW }, "pack"],
    ["that is protected stays", { ...old, protection: "it is loaded" }, "keep"],
    ["that is archived and protected stays", { ...gone, protection: "it has a name" }, "keep"],
  ])("%s", async (_what, members, kind) => {
    expect((await fates([family("a", members)], age)).get("a")).toBe(kind);
  });

  test("that is forked from stays, and goes with the last of its forks", async () => {
    const base = family("base", gone);
    const fork = family("fork", { ...gone, basedOn: ["base"] });
    const other = family("other", { basedOn: ["base"] });
    expect(Object.fromEntries(await fates([base, fork, other], age))).toEqual({
      base: "keep",
      fork: "delete",
      other: "keep",
    });
    expect(Object.fromEntries(await fates([base, fork], age))).toEqual({ base: "delete", fork: "delete" });
  });

  test("that goes on from itself, or from one that goes on from it, is let alone", async () => {
    const ring = [
      family("a", { ...gone, basedOn: ["b"] }),
      family("b", { ...gone, basedOn: ["a", "a"] }),
      family("c", { ...gone, basedOn: ["c", "nobody"] }),
    ];
    expect(Object.fromEntries(await fates(ring, age))).toEqual({ a: "keep", b: "keep", c: "delete" });
  });
});

describe("by size", () => {
  const home = [
    family("oldest", { lastActiveMs: 1, ...archived }),
    family("older", { lastActiveMs: 2 }),
    family("new", { lastActiveMs: 3, ...archived }),
    family("newest", { lastActiveMs: 4 }),
  ];

  test.each<[string, number, string[]]>([
    ["a home within the limit is left alone", 400, ["pack", "keep", "pack", "keep"]],
    ["it is enough that archived threads are packed", 240, ["pack", "keep", "pack", "keep"]],
    ["the oldest archived one goes first", 239, ["delete", "keep", "pack", "keep"]],
    ["then the others that are archived", 219, ["delete", "keep", "delete", "keep"]],
    ["then others are archived, the oldest first", 199, ["delete", "archive", "delete", "keep"]],
    ["and are deleted where that is not enough", 39, ["delete", "delete", "delete", "archive"]],
    ["until nothing is left", 0, ["delete", "delete", "delete", "delete"]],
  ])("%s", async (_what, maxBytes, expected) => {
    expect([...(await fates(home, { maxBytes })).values()]).toEqual(expected);
  });
});

test("whatever the home: nothing protected is touched, the limit holds, and a second plan has nothing to do", async () => {
  const families = fc
    .array(
      fc.record({
        age: fc.integer({ min: 0, max: 90 }),
        archivedDays: fc.option(fc.integer({ min: 0, max: 90 }), { nil: null }),
        bytes: fc.integer({ min: 0, max: 100 }),
        share: fc.integer({ min: 1, max: 100 }),
        protection: fc.option(fc.constant("it is loaded"), { nil: null, freq: 5 }),
        bases: fc.array(fc.nat({ max: 11 }), { maxLength: 2 }),
      }),
      { maxLength: 12 },
    )
    .map((drawn) =>
      drawn.map(({ age: days, archivedDays, bytes, share, protection, bases }, at) =>
        family(`t${at}`, {
          lastActiveMs: NOW - days * DAY,
          archivedSinceMs: archivedDays === null ? null : NOW - archivedDays * DAY,
          bytes,
          packed: Math.floor((bytes * share) / 100),
          isPackable: archivedDays !== null && share < 100,
          protection,
          basedOn: bases.map((base) => `t${base}`),
        }),
      ),
    );
  const limits = fc.record({
    maxAgeMs: fc.option(
      fc.integer({ min: 1, max: 60 }).map((days) => days * DAY),
      { nil: null },
    ),
    maxBytes: fc.option(fc.integer({ min: 0, max: 600 }), { nil: null }),
  });
  await fc.assert(
    fc.asyncProperty(families, limits, async (home, limit) => {
      const plan = await fates(home, limit);
      const after = carryOut(home, plan);
      const left = new Set(after.map(({ rootId }) => rootId));
      for (const { rootId, protection } of home)
        if (protection !== null) expect(plan.get(rootId)).toBe("keep");
      // No remaining family has lost its base.
      for (const { basedOn, rootId } of after)
        for (const base of basedOn)
          if (base !== rootId && home.some((each) => each.rootId === base)) expect(left.has(base)).toBe(true);
      const total = after.reduce((sum, { bytes }) => sum + bytes, 0);
      const isNeeded = (root: string) =>
        after.some(({ basedOn, rootId }) => rootId !== root && basedOn.includes(root));
      if (limit.maxBytes !== null && total > limit.maxBytes)
        for (const { rootId, protection } of after) expect(protection ?? isNeeded(rootId)).toBeTruthy();
      expect([...(await fates(after, limit)).values()].filter((kind) => kind !== "keep")).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

/** The home after the plan is applied. */
function carryOut(home: readonly Known[], plan: ReadonlyMap<string, string>): Known[] {
  return home.flatMap((each) => {
    const kind = plan.get(each.rootId);
    if (kind === "delete") return [];
    if (kind === "keep") return [each];
    const archivedSinceMs = kind === "archive" ? NOW : each.archivedSinceMs;
    return [{ ...each, archivedSinceMs, bytes: Math.min(each.bytes, each.packed), isPackable: false }];
  });
}
