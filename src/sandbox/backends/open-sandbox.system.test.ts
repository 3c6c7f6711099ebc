import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { SandboxPolicy } from "../../protocol/generated/types.ts";
import { NO_GUARD } from "../guard.ts";
import { openSandboxWritablePaths } from "../writable-paths.ts";
import { openSandbox } from "./open-sandbox.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-no-sandbox-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const linux = {
  env: { PATH: "/nowhere" },
  cwd: "/",
  platform: "linux",
  architecture: "x64",
  folder,
  hidden: () => [],
  guard: NO_GUARD,
  writablePaths: openSandboxWritablePaths(folder),
};
const command = { argv: ["ls", "-l"], cwd: folder, env: { HOME: "/home" } };

function fakeBubblewrap(name: string, script: string): string {
  const place = join(folder, name);
  mkdirSync(place);
  writeFileSync(join(place, "bwrap"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return place;
}

describe("a machine without a sandbox", () => {
  const open = (more: Partial<typeof linux>) => openSandbox({ ...linux, ...more });

  test.each([
    ["without bubblewrap", {}, "bubblewrap is not installed"],
    ["with another system", { platform: "win32" }, "there is no sandbox for win32"],
    ["with an unknown processor", { architecture: "s390x" }, "there is no system call filter for s390x"],
  ])("says so %s", async (_, more, reason) => {
    expect((await open(more)).ability).toEqual({ kind: "none", reason });
  });

  test("reports the error of bubblewrap", async () => {
    const words = "bwrap: No permissions to create a new namespace";
    const sandbox = await open({ env: { PATH: fakeBubblewrap("forbidden", `echo '${words}' >&2; exit 1`) } });
    expect(sandbox.ability).toEqual({
      kind: "none",
      reason: `bubblewrap cannot make a sandbox here: ${words}`,
    });
  });

  test("does not trust a bubblewrap in its cwd", async () => {
    const place = fakeBubblewrap("planted", "exit 0");
    expect((await open({ env: { PATH: place }, cwd: place })).ability).toEqual({
      kind: "none",
      reason: `${join(place, "bwrap")} lies where sandboxed commands can write, and is not trusted`,
    });
    expect((await open({ env: { PATH: place } })).ability.kind).toBe("enforced");
  });

  test("refuses bounded commands", async () => {
    const sandbox = await open({});
    const policies: SandboxPolicy[] = [{ type: "readOnly" }, { type: "workspaceWrite", networkAccess: true }];
    expect(policies.map((policy) => sandbox.wrap(command, policy, { policyCwd: folder }))).toEqual([
      { ok: false, reason: "bubblewrap is not installed" },
      { ok: false, reason: "bubblewrap is not installed" },
    ]);
  });

  test("passes unbounded commands through", async () => {
    const sandbox = await open({});
    const release = expect.any(Function);
    const policies: SandboxPolicy[] = [{ type: "dangerFullAccess" }, { type: "externalSandbox" }];
    expect(policies.map((policy) => sandbox.wrap(command, policy, { policyCwd: folder }))).toEqual([
      { ok: true, argv: command.argv, env: command.env, release },
      { ok: true, argv: command.argv, env: { HOME: "/home", CODEX_SANDBOX_NETWORK_DISABLED: "1" }, release },
    ]);
  });
});
