import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { runConfinedCommand, runHookCommand } from "../../src/hooks/run/run-command.ts";
import { createLocalHost } from "../../src/process/local-host.ts";
import { openSandbox } from "../../src/sandbox/backends/open-sandbox.ts";
import { lackOf, testUnless } from "../support/needs-program.ts";
import { openSandboxHarness, WORKSPACE } from "../support/sandbox-harness.ts";

/** Runs scripts as hooks of a thread whose commands may write only the workspace. */
async function openHooks() {
  const { workspace, outside, deps } = await openSandboxHarness();
  const sandbox = await openSandbox(deps);
  const ports = { host: createLocalHost(), clock: systemClock };
  const command = (script: string) => ({
    argv: ["/bin/bash", "-c", script],
    cwd: workspace,
    env: { PATH: process.env["PATH"] ?? "" },
    input: '{"prompt":"hi"}',
    timeoutSeconds: 20,
    signal: new AbortController().signal,
  });
  return {
    workspace,
    outside,
    confined: (script: string) =>
      runConfinedCommand(ports, command(script), (wanted) =>
        sandbox.wrap(wanted, WORKSPACE, { policyCwd: workspace, ownSession: true }),
      ),
    free: (script: string) => runHookCommand(ports, command(script)),
    close: () => ports.host.close(),
  };
}

testUnless(
  lackOf("bwrap"),
  "a hook within the sandbox writes where commands may, and nowhere else",
  async () => {
    const { workspace, outside, confined, free, close } = await openHooks();
    const made = join(outside, "made");
    const script = `cat > told.json; touch '${made}'; echo "code $?"`;
    expect(await confined(script)).toMatchObject({ kind: "exited", exitCode: 0, stdout: "code 1\n" });
    expect(readFileSync(join(workspace, "told.json"), "utf8")).toBe('{"prompt":"hi"}');
    expect(existsSync(made)).toBe(false);
    // Without the sandbox, the same command can write there.
    await free(script);
    expect(existsSync(made)).toBe(true);
    await close();
  },
);

testUnless(lackOf("bwrap"), "a hook within the sandbox leaves nothing running", async () => {
  const { workspace, confined, close } = await openHooks();
  const pipe = join(workspace, "pipe");
  execFileSync("mkfifo", [pipe]);
  // Reading ends when no process has the pipe open for writing.
  const written = readFile(pipe, "utf8");
  const script = "(touch open; sleep 1000) > pipe 2> /dev/null & until [ -e open ]; do sleep 0.01; done";
  expect(await confined(script)).toMatchObject({ kind: "exited", exitCode: 0 });
  expect(await written).toBe("");
  await close();
});
