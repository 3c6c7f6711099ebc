import { execFile } from "node:child_process";
import { platform } from "node:os";
import type { Environment } from "../base/environment.ts";

/** What can keep a command within its bounds on this machine. */
export type SandboxAbility =
  | { readonly kind: "bubblewrap"; readonly version: string }
  | { readonly kind: "seatbelt" }
  | { readonly kind: "none"; readonly reason: string; readonly advice: string };

const TIMEOUT_MS = 5000;

/** Finds out by trying, because a program that is installed may still not be allowed to work. */
export async function probeSandbox(env: Environment): Promise<SandboxAbility> {
  if (platform() === "darwin") return { kind: "seatbelt" };
  if (platform() !== "linux") {
    return {
      kind: "none",
      reason: `there is no sandbox for ${platform()}`,
      advice: "Run Heddle in a container or virtual machine, or approve each command.",
    };
  }
  const version = await run("bwrap", ["--version"], env);
  if (!version.ok) {
    return {
      kind: "none",
      reason: "bubblewrap is not installed",
      advice: "Install it, for example with `apt-get install bubblewrap`.",
    };
  }
  const trial = await run("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"], env);
  if (trial.ok) return { kind: "bubblewrap", version: version.output.replace(/^bubblewrap\s+/, "").trim() };
  return {
    kind: "none",
    reason: `bubblewrap cannot make a sandbox here: ${trial.output.trim()}`,
    advice:
      "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or the AppArmor profile of bwrap).",
  };
}

function run(
  program: string,
  args: readonly string[],
  env: Environment,
): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { env, timeout: TIMEOUT_MS }, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: error === null ? stdout : stderr || error.message }),
    );
  });
}
