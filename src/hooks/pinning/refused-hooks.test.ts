import { describe, expect, test } from "vitest";
import { findSkipReason } from "../config/skip-reason.ts";
import type { ConfiguredHook, HookRefusal, HookSet } from "../configured-hook.ts";
import { fakeHooks } from "../hooks.fixture.ts";
import { createRefusalReporter, markRefused } from "./refused-hooks.ts";

const set = (more: Partial<ConfiguredHook>): Promise<HookSet> =>
  fakeHooks([{ event: "Stop", run: () => ({ kind: "interrupted" }), ...more }]).configured();
const CHANGED: HookRefusal = { kind: "changed", message: "its file has changed" };
const UNPINNABLE: HookRefusal = { kind: "unpinnable", message: "npm may run anything" };
const refuse = async (more: Partial<ConfiguredHook>, refusal = CHANGED) =>
  markRefused(await set(more), async () => ({ kind: "refused", refusal }));
const refused = async (more: Partial<ConfiguredHook>, refusal = CHANGED) =>
  (await refuse(more, refusal)).hooks[0] as ConfiguredHook;

describe("a hook whose content differs from what was trusted", () => {
  test("does not run, also where trust is bypassed", async () => {
    for (const isTrustBypassed of [false, true]) {
      const hook = await refused({ isTrustBypassed });
      expect(hook).toMatchObject({ trustStatus: "modified", refusal: CHANGED });
      expect(findSkipReason(hook)).toBe("modified");
    }
  });

  test.each(["PreToolUse", "PermissionRequest"] as const)(
    "fails as a guard of %s, so that the user is asked",
    async (event) => {
      expect(findSkipReason(await refused({ event }))).toBeNull();
      expect(findSkipReason(await refused({ event }, UNPINNABLE))).toBe("modified");
    },
  );

  test("keeps its trust status where new trust would change nothing", async () => {
    expect(await refused({ trustStatus: "trusted" }, UNPINNABLE)).toMatchObject({
      trustStatus: "trusted",
      refusal: UNPINNABLE,
    });
  });

  test("fails where failing closes, so that it does not vanish", async () => {
    expect(findSkipReason(await refused({ onFailure: "closed" }))).toBeNull();
  });

  test("fails and closes where it is the administrator's", async () => {
    const hook = await refused({ isManaged: true, trustStatus: "managed" });
    expect(hook).toMatchObject({ onFailure: "closed", trustStatus: "managed" });
    expect(findSkipReason(hook)).toBeNull();
  });

  test("is not checked where it would not run anyway", async () => {
    const reviewed: string[] = [];
    for (const more of [{ enabled: false }, { trustStatus: "untrusted" as const }]) {
      await markRefused(await set(more), async ({ key, handler }) => {
        reviewed.push(key);
        return { kind: "runnable", handler };
      });
    }
    expect(reviewed).toEqual([]);
  });

  test("is reported once, and again after it was valid", async () => {
    const reporter = createRefusalReporter();
    const bad = await refuse({});
    reporter.note(bad);
    reporter.note(bad);
    expect(reporter.take()).toEqual(["its file has changed"]);
    reporter.note(bad);
    expect(reporter.take()).toEqual([]);
    reporter.note(await set({}));
    reporter.note(bad);
    expect(reporter.take()).toEqual(["its file has changed"]);
  });
});
