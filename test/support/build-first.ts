/**
 * Builds the programs that tests start, if the sources have changed: a build during the run would replace
 * them under running tests.
 */
import { execFileSync } from "node:child_process";

export function setup(): void {
  execFileSync(process.execPath, ["scripts/setup.mjs"], { stdio: ["ignore", "ignore", "inherit"] });
}
