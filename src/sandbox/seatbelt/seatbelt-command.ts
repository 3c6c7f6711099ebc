import type { Environment } from "../../base/environment.ts";
import type { Bounds } from "../bounds.ts";
import { runTrial } from "../run-trial.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";

/** Always the system's own, whatever the PATH says. */
const PROGRAM = "/usr/bin/sandbox-exec";

/** What to put before a command. */
export function seatbeltCommand(bounds: Bounds, hidden: readonly string[]): string[] {
  const { text, parameters } = seatbeltProfile(bounds, hidden);
  const definitions = Object.entries(parameters).map(([name, value]) => `-D${name}=${value}`);
  return [PROGRAM, "-p", text, ...definitions, "--"];
}

/** Why Seatbelt does not work here, or null. It does not inside of another sandbox. */
export async function trySeatbelt(env: Environment): Promise<string | null> {
  const bounds: Bounds = { network: false, roots: [], kept: [] };
  const outcome = await runTrial([...seatbeltCommand(bounds, []), "/usr/bin/true"], env);
  return outcome.ok ? null : `sandbox-exec cannot make a sandbox here: ${outcome.reason}`;
}
