import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { openConfigSource } from "../configuration/config-source.ts";
import { orThrow } from "../configuration/thread-refusal.ts";
import { resolveKnown } from "./resolve-thread.ts";

const DEV = `
default_permissions = ":read-only"
[permissions.dev.filesystem]
":root" = "read"
":workspace_roots" = "write"
`;

/** Resolves a stored thread with the profile `dev` under this configuration, whose first read may fail. */
async function resolveAgain(config: string, firstFault?: Error) {
  const home = mkdtempSync(join(tmpdir(), "heddle-resolution-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  writeFileSync(join(home, "config.toml"), config);
  const env = { CODEX_HOME: home };
  const options = { env, cwd: home, flags: {}, profile: null, strictConfig: false };
  const source = await openConfigSource({ ...options, userHome: home, createId: () => "id" });
  const configuration = await source.get();
  const faults = firstFault === undefined ? [] : [firstFault];
  const effective: typeof configuration.effective = (request) => {
    const fault = faults.pop();
    return fault === undefined ? configuration.effective(request) : Promise.reject(fault);
  };
  const host = {
    env,
    cwd: home,
    userHome: home,
    clock: systemClock,
    createId: () => "id",
    log: silentLogger,
  };
  const read = { ...source, get: async () => ({ ...configuration, effective }) };
  return resolveKnown({ permissions: "dev" }, {}, { config: read, host });
}

test("a thread keeps its profile, and goes on with what is configured when that is there no longer", async () => {
  const profileOf = async (config: string) =>
    orThrow(await resolveAgain(config)).settings.permissionProfile?.id;
  expect(await profileOf(DEV)).toBe("dev");
  expect(await profileOf('default_permissions = ":read-only"')).toBe(":read-only");
});

test("a thread whose profile cannot be read just now gets no other permissions", async () => {
  await expect(resolveAgain(DEV, new Error("EMFILE: too many open files"))).rejects.toThrow("EMFILE");
});

test("a thread whose profile cannot be enforced gets no other permissions", async () => {
  const filtered = `${DEV}[permissions.dev.network]\nenabled = true\nmode = "limited"\n`;
  expect(await resolveAgain(filtered)).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("it filters the network"),
  });
});
