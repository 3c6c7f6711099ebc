import type { Environment } from "../../base/environment.ts";
import type { Bounds } from "../bounds.ts";
import { runTrial } from "../run-trial.ts";
import { type Secrets, seatbeltProfile } from "./seatbelt-profile.ts";

/** Always the system's own, whatever the PATH says. */
const PROGRAM = "/usr/bin/sandbox-exec";

/** What to put before a command. */
export function seatbeltCommand(bounds: Bounds, secrets: Secrets): string[] {
  const { text, parameters } = seatbeltProfile(bounds, secrets);
  const definitions = Object.entries(parameters).map(([name, value]) => `-D${name}=${value}`);
  return [PROGRAM, "-p", text, ...definitions, "--"];
}

/** Why Seatbelt does not work here, or null. It does not inside of another sandbox. */
export async function trySeatbelt(env: Environment): Promise<string | null> {
  const bounds: Bounds = { network: false, roots: [], kept: [] };
  const outcome = await runTrial(
    [...seatbeltCommand(bounds, { hidden: [], ports: [] }), "/usr/bin/true"],
    env,
  );
  return outcome.ok ? null : `sandbox-exec cannot make a sandbox here: ${outcome.reason}`;
}
