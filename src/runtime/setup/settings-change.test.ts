import { describe, expect, test } from "vitest";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import { resolveSettingsChange } from "./settings-change.ts";

type Overrides = Parameters<typeof resolveSettingsChange>[0];

const values = { sandbox_workspace_write: null, permissions: null } as ConfigValues;
const settings = {
  cwd: "/project",
  model: "m",
  machineCwd: null,
  workspaceRoots: null,
  hasMachine: true,
  sandbox: { type: "readOnly" },
} as ThreadSettings;

const resolve = (overrides: Overrides, from = settings) =>
  resolveSettingsChange(overrides, from, { readValues: async () => values, hasMachine: true });

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
    const overrides = {
      approvalPolicy: "on-request",
      approvalsReviewer: "user",
      model: "other",
      effort: "high",
      summary: "concise",
      personality: "friendly",
    } as const;
    expect(await resolve(overrides)).toEqual(overrides);
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
      permissionProfile: { id: ":read-only", extends: null },
    });
  });

  test("for both a profile and a sandbox is refused", async () => {
    const both = { permissions: ":read-only", sandboxPolicy: { type: "dangerFullAccess" } } as const;
    expect(await resolve(both)).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("`permissions` cannot be combined with `sandboxPolicy`"),
    });
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

  test.each([
    ["plan", "<proposed_plan>"],
    ["default", "Use the `request_user_input` tool only when it is listed in the available tools"],
  ] as const)("for mode %s without words brings the usual ones", async (mode, words) => {
    const collaborationMode = { mode, settings: { model: "m" } };
    expect(await resolve({ collaborationMode })).toMatchObject({
      mode,
      modeInstructions: expect.stringContaining(words),
    });
  });

  test("for other roots moves the folders that a sandbox lets be written", async () => {
    const sandbox = { type: "workspaceWrite" as const, writableRoots: ["/old", "/more"] };
    const moved = await resolve(
      { runtimeWorkspaceRoots: ["/new", "/new/."] },
      { ...settings, workspaceRoots: ["/old"], sandbox },
    );
    expect(moved).toEqual({
      cwd: "/project",
      machineCwd: null,
      workspaceRoots: ["/new"],
      hasMachine: true,
      sandbox: { ...sandbox, writableRoots: ["/new", "/more"] },
    });
  });

  test.each([
    [[{ environmentId: "other", cwd: "/" }], "unknown turn environment id `other`"],
    [
      [{ environmentId: "local", cwd: "here" }],
      "invalid cwd for environment `local`: path `here` does not use absolute POSIX or Windows path syntax",
    ],
    [
      [{ environmentId: "local", cwd: `/${"x".repeat(9000)}` }],
      "turn environment working directory exceeds the maximum size",
    ],
  ])("for an environment that cannot be is refused", async (environments, message) => {
    expect(await resolve({ environments })).toMatchObject({
      kind: "refused",
      message: expect.stringContaining(message),
    });
  });

  const machine = [{ environmentId: "local", cwd: "/machine" }];
  const atMachine = { ...settings, machineCwd: "/machine", workspaceRoots: ["/machine", "/more"] };
  test.each([
    {
      what: "a machine's folder takes the thread along",
      from: settings,
      wanted: { environments: machine },
      place: { cwd: "/machine", machineCwd: null, workspaceRoots: null },
    },
    {
      what: "a folder beside the machine's is the thread's own",
      from: settings,
      wanted: { cwd: "/place", environments: machine },
      place: { cwd: "/place", machineCwd: "/machine", workspaceRoots: ["/machine"] },
    },
    {
      what: "a folder alone leaves that of the machine",
      from: atMachine,
      wanted: { cwd: "/place" },
      place: { cwd: "/place", machineCwd: null, workspaceRoots: ["/place", "/more"] },
    },
  ])("for $what", async ({ from, wanted, place }) => {
    await expect(resolve(wanted, from)).resolves.toEqual({ ...place, hasMachine: true });
  });

  test("for no environment leaves the machine", async () => {
    expect(await resolve({ environments: [] })).toEqual({
      cwd: "/project",
      machineCwd: null,
      workspaceRoots: null,
      hasMachine: false,
    });
  });
});
