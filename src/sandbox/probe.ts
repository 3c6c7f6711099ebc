import { arch, platform } from "node:os";
import type { Environment } from "../base/environment.ts";
import { architectureOf } from "./bubblewrap/architecture.ts";
import { findBubblewrap } from "./bubblewrap/find-bubblewrap.ts";
import { runTrial } from "./run-trial.ts";
import { trySeatbelt } from "./seatbelt/seatbelt-command.ts";

/** What can keep a command within its bounds on this machine, and what to do where nothing can. */
export type SandboxFinding =
  | { readonly kind: "bubblewrap"; readonly version: string }
  | { readonly kind: "seatbelt" }
  | { readonly kind: "none"; readonly reason: string; readonly advice: string };

const CONTAIN = "Run Heddle in a container or virtual machine, or approve each command.";

/** Finds out by trying, because a program that is installed may still not be allowed to work. */
export async function probeSandbox(env: Environment): Promise<SandboxFinding> {
  if (platform() === "darwin") {
    const reason = await trySeatbelt(env);
    return reason === null ? { kind: "seatbelt" } : { kind: "none", reason, advice: CONTAIN };
  }
  if (platform() !== "linux" || architectureOf(arch()) === null) {
    return { kind: "none", reason: `there is no sandbox for ${platform()} on ${arch()}`, advice: CONTAIN };
  }
  const found = await findBubblewrap({ env, isWritten: () => false });
  if (found.kind === "unusable") return { kind: "none", reason: found.reason, advice: found.advice };
  const version = await runTrial([found.program, "--version"], env);
  return {
    kind: "bubblewrap",
    version: version.ok ? version.output.replace(/^bubblewrap\s+/, "").trim() : "?",
  };
}
