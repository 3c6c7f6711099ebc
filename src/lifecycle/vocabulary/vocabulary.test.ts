import { describe, expect, test } from "vitest";
import { golden } from "../golden.fixture.ts";
import { SUPPORT_STATES, supports, worstOutcome } from "./closed-sets.ts";
import {
  EXTENSION_EVENTS,
  isEventName,
  isExtensionEvent,
  isLifecycleEvent,
  LIFECYCLE_EVENTS,
  needsFrame,
} from "./events.ts";
import { DEFAULT_RETRY } from "./failures.ts";
import { parseDirective, resultOfDirective } from "./result.ts";

describe("events", () => {
  test("are those of the original, in its order", () => expect(LIFECYCLE_EVENTS).toEqual(golden.events));

  test("of the extension are others, in the same style", () => {
    expect(EXTENSION_EVENTS.filter(isLifecycleEvent)).toEqual([]);
    expect(EXTENSION_EVENTS.every((name) => /^[a-z]+\.[a-z_]+$/.test(name))).toBe(true);
    expect(isExtensionEvent("tool.starting") && isEventName("frame.opened")).toBe(true);
    for (const name of ["tool.before", "", "toString", undefined]) expect(isEventName(name)).toBe(false);
  });

  test("of a frame need one", () => {
    expect(LIFECYCLE_EVENTS.filter(needsFrame)).toEqual([
      "frame.opening",
      "frame.opened",
      "frame.ending",
      "frame.ended",
    ]);
    expect(EXTENSION_EVENTS.filter(needsFrame)).toEqual([]);
  });
});

test("failures have the retry of the original", () => expect(DEFAULT_RETRY).toEqual(golden.default_retry));

describe("support", () => {
  /** For each available state, the wanted states that it satisfies. */
  test.each([
    ["native", ["native", "synthesized", "partial", "manual", "unavailable"]],
    ["synthesized", ["synthesized", "partial", "manual", "unavailable"]],
    ["partial", ["partial", "manual", "unavailable"]],
    ["manual", ["manual"]],
    ["unavailable", []],
  ] as const)("that is %s does for %j", (have, wanted) => {
    expect(SUPPORT_STATES.filter((state) => supports(have, state))).toEqual(wanted);
  });

  test("is as good as the worst of it", () => {
    expect(worstOutcome([])).toBe("satisfied");
    expect(worstOutcome(["degraded", "satisfied"])).toBe("degraded");
    expect(worstOutcome(["degraded", "unsupported", "requires_operator"])).toBe("unsupported");
  });
});

describe("a directive", () => {
  test("is one of two words, or none", () => {
    expect(parseDirective(null)).toBeNull();
    expect(parseDirective({ kind: "allow" })).toEqual({ kind: "allow" });
    expect(parseDirective({ kind: "block", reason: "r" })).toEqual({ kind: "block", reason: "r" });
    for (const bad of [
      "allow",
      {},
      [],
      1,
      { kind: "block" },
      { kind: "block", reason: 1 },
      { kind: "allow", reason: "r" },
    ])
      expect(parseDirective(bad)).toBeUndefined();
  });

  test("that blocks refuses, or makes go on what would end", () => {
    const block = { kind: "block", reason: "r" } as const;
    expect(resultOfDirective(block, "frame.opening")).toEqual({ decision: { kind: "deny", reason: "r" } });
    for (const event of ["frame.ending", "frame.ended", "subagent.ended"] as const)
      expect(resultOfDirective(block, event)).toEqual({ decision: { kind: "continue_with", prompt: "r" } });
    expect(resultOfDirective(null, "frame.ended")).toEqual({});
  });
});
