import { describe, expect, test } from "vitest";
import { type ConfiguredHook, type HookSet, whySkipped } from "../configured-hook.ts";
import { fakeHooks } from "../hooks.fixture.ts";
import { createRefusalNews, markRefused } from "./refused-hooks.ts";

const set = (more: Partial<ConfiguredHook>): Promise<HookSet> =>
  fakeHooks([{ event: "Stop", run: () => ({ kind: "interrupted" }), ...more }]).configured();
const refused = async (more: Partial<ConfiguredHook>) =>
  (await markRefused(await set(more), async () => "its file has changed")).hooks[0] as ConfiguredHook;

describe("a hook whose content is not what was trusted", () => {
  test("does not run, also where trust is bypassed", async () => {
    for (const isTrustBypassed of [false, true]) {
      const hook = await refused({ isTrustBypassed });
      expect(hook).toMatchObject({ trustStatus: "modified", refusal: "its file has changed" });
      expect(whySkipped(hook)).toBe("modified");
    }
  });

  test("fails where failing closes, so that it does not vanish", async () => {
    expect(whySkipped(await refused({ onFailure: "closed" }))).toBeNull();
  });

  test("fails and closes where it is the administrator's", async () => {
    const hook = await refused({ isManaged: true, trustStatus: "managed" });
    expect(hook).toMatchObject({ onFailure: "closed", trustStatus: "managed" });
    expect(whySkipped(hook)).toBeNull();
  });

  test("is not looked at where it would not run anyway", async () => {
    const looked: string[] = [];
    for (const more of [{ enabled: false }, { trustStatus: "untrusted" as const }]) {
      await markRefused(await set(more), async ({ key }) => {
        looked.push(key);
        return null;
      });
    }
    expect(looked).toEqual([]);
  });

  test("is told of once, and again after it was well", async () => {
    const news = createRefusalNews();
    const bad = await markRefused(await set({}), async () => "its file has changed");
    news.note(bad);
    news.note(bad);
    expect(news.take()).toEqual(["its file has changed"]);
    news.note(bad);
    expect(news.take()).toEqual([]);
    news.note(await set({}));
    news.note(bad);
    expect(news.take()).toEqual(["its file has changed"]);
  });
});
