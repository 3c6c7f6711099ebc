import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { Child } from "./child.ts";

const shell = (script: string) =>
  new Child({ command: "sh", args: ["-c", script], cwd: tmpdir(), env: { PATH: process.env["PATH"] ?? "" } });

describe("Child", () => {
  it("tells the exit code and what was written", async () => {
    const child = shell("echo out; echo err >&2; exit 3");
    expect(await child.exit).toEqual({ code: 3, signal: null });
    expect([child.stdout, child.stderr]).toEqual(["out\n", "err\n"]);
  });

  it("stops whatever the process has started as well", async () => {
    const child = shell("sleep 60 & echo started >&2; wait");
    await child.stderrMatch(/started/u, 5_000);
    // The sleeper holds the output open, so this would take a minute if it were left running.
    expect(await child.stop()).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("fails the wait for stderr when the process exits first", async () => {
    await expect(shell("echo no >&2; exit 1").stderrMatch(/yes/u, 5_000)).rejects.toThrow(
      "the server exited early: no",
    );
  });

  it("reports a program that does not exist as an exit without a code", async () => {
    const child = new Child({ command: "/no/such/program", args: [], cwd: tmpdir(), env: {} });
    expect(await child.exit).toEqual({ code: null, signal: null });
  });
});
