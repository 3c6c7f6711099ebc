import { findTrustedProgram } from "../../sandbox/writable-paths.ts";
import type { ConfigSource } from "./config-source.ts";
import type { Host } from "./host.ts";

/** The program that tells others of a thread's writer, as it is found now: none that a confined command could have put there. */
export function createLockProgram(
  { env }: Pick<Host, "env">,
  { places }: Pick<ConfigSource, "places">,
): () => string | null {
  return () => findTrustedProgram("flock", { path: env["PATH"], isSandboxWritable: places.contains });
}
