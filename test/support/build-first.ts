/** Builds what tests start where the sources have changed: a build in the middle of a run would pull it from under them. */
import { execFileSync } from "node:child_process";

export function setup(): void {
  execFileSync(process.execPath, ["scripts/setup.mjs"], { stdio: ["ignore", "ignore", "inherit"] });
}
