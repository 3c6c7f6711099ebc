import { describe, expect, test } from "vitest";
import type { ThreadSettings } from "../engine/settings.ts";
import { resolveSettingsChange } from "./settings-change.ts";

type Wishes = Parameters<typeof resolveSettingsChange>[0];

const values = { sandbox_workspace_write: undefined } as unknown as Awaited<
  ReturnType<Parameters<typeof resolveSettingsChange>[2]>
>;

const resolve = (wishes: Wishes) =>
  resolveSettingsChange(wishes, { cwd: "/project" } as ThreadSettings, async () => values);

describe("a wish to change settings", () => {
  test("that is absent or null changes nothing", async () => {
    expect(await resolve({})).toEqual({});
    expect(
      await resolve({
        cwd: null,
        approvalPolicy: null,
        approvalsReviewer: null,
        sandboxPolicy: null,
        permissions: null,
        model: null,
        effort: null,
        summary: null,
        personality: null,
        collaborationMode: null,
      }),
    ).toEqual({});
  });

  test("is taken over as it is", async () => {
    const wishes = {
      approvalPolicy: "on-request",
      approvalsReviewer: "user",
      model: "other",
      effort: "high",
      summary: "concise",
      personality: "friendly",
    } as const;
    expect(await resolve(wishes)).toEqual(wishes);
  });

  test("for a folder is relative to the one of now", async () => {
    expect(await resolve({ cwd: "sub/../other" })).toEqual({ cwd: "/project/other" });
    expect(await resolve({ cwd: "/elsewhere" })).toEqual({ cwd: "/elsewhere" });
  });

  test("for the service tier can be taken back with null", async () => {
    const model = "gpt-5.5";
    expect(await resolve({ serviceTier: "fast", model })).toEqual({ serviceTier: "priority", model });
    expect(await resolve({ serviceTier: "unknown", model })).toEqual({ serviceTier: null, model });
    expect(await resolve({ serviceTier: null })).toEqual({ serviceTier: "default" });
  });

  test("for a sandbox leaves the named profile", async () => {
    expect(await resolve({ sandboxPolicy: { type: "dangerFullAccess" } })).toEqual({
      sandbox: { type: "dangerFullAccess" },
      permissionProfile: null,
    });
  });

  test("for a named profile brings its sandbox", async () => {
    expect(await resolve({ permissions: ":read-only" })).toEqual({
      sandbox: { type: "readOnly", networkAccess: false },
      permissionProfile: ":read-only",
    });
  });

  test("for both a profile and a sandbox is refused", async () => {
    const both = { permissions: ":read-only", sandboxPolicy: { type: "dangerFullAccess" } } as const;
    await expect(resolve(both)).rejects.toThrow("`permissions` cannot be combined with `sandboxPolicy`");
  });

  test("for a mode brings the mode's model and effort, which win", async () => {
    const settings = { model: "planner", reasoning_effort: null, developer_instructions: "Plan." };
    const collaborationMode = { mode: "plan", settings } as const;
    expect(await resolve({ model: "other", effort: "high", collaborationMode })).toEqual({
      model: "planner",
      effort: null,
      mode: "plan",
      modeInstructions: "Plan.",
    });
  });
});
