import { describe, expect, test } from "vitest";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { chooseProfile } from "./permission-profile.ts";

function choose(id: string, permissions: Record<string, unknown>) {
  const empty = { extends: null, filesystem: null, workspace_roots: null, network: null };
  const profiles = Object.fromEntries(
    Object.entries(permissions).map(([name, profile]) => [name, { ...empty, ...(profile as object) }]),
  );
  const values = { permissions: profiles, sandbox_workspace_write: null };
  return chooseProfile(id, values as unknown as ConfigValues);
}

const READS = { ":root": "read" };

describe("a profile", () => {
  test.each([
    ["reads only", { filesystem: READS }, { type: "readOnly", networkAccess: false }],
    [
      "writes in the workspace and what it names",
      { filesystem: { ...READS, ":workspace_roots": { ".": "write" }, "/opt": "write", ":tmpdir": "write" } },
      {
        type: "workspaceWrite",
        writableRoots: ["/opt"],
        networkAccess: false,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: true,
      },
    ],
    [
      "has folders of its own in the workspace",
      { extends: ":workspace", workspace_roots: { "/more": true, "/not": false } },
      {
        type: "workspaceWrite",
        writableRoots: ["/more"],
        networkAccess: false,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      },
    ],
    [
      "has a network",
      { extends: ":read-only", network: { enabled: true } },
      { type: "readOnly", networkAccess: true },
    ],
    ["has no bounds", { extends: ":danger-full-access" }, { type: "dangerFullAccess" }],
  ])("that %s", (_what, profile, sandbox) => {
    expect(choose("mine", { mine: profile })).toEqual({
      sandbox,
      permissionProfile: { id: "mine", extends: (profile as { extends?: string }).extends ?? null },
    });
  });

  test("builds on another, and says on which", () => {
    const base = { filesystem: { ...READS, ":workspace_roots": "write" } };
    expect(choose("top", { base, top: { extends: "base", network: { enabled: true } } })).toMatchObject({
      sandbox: { type: "workspaceWrite", networkAccess: true },
      permissionProfile: { id: "top", extends: "base" },
    });
  });

  test.each([
    ["limits what is read", { filesystem: { ":minimal": "read" } }, "it limits what is read"],
    ["denies", { filesystem: { ...READS, "/secret": "deny" } }, "it denies `/secret`"],
    [
      "keeps a part as it is",
      { filesystem: { ...READS, ":workspace_roots": { ".": "write", docs: "read" } } },
      "it speaks of `docs` below `:workspace_roots`",
    ],
    [
      "writes elsewhere only",
      { filesystem: { ...READS, "/opt": "write" } },
      "it lets other folders be written, but not the workspace",
    ],
    [
      "filters the network",
      { extends: ":read-only", network: { enabled: true, domains: { "a.example": "allow" } } },
      "it filters the network",
    ],
    ["builds on itself", { extends: "mine" }, "it is nowhere defined"],
    ["builds on nothing that is there", { extends: "other" }, "it is nowhere defined"],
  ])("that %s is refused", (_what, profile, why) => {
    expect(choose("mine", { mine: profile })).toMatchObject({
      kind: "refused",
      message: expect.stringContaining(why),
    });
  });
});
