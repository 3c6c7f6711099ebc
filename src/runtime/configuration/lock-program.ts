import { findTrustedProgram } from "../../sandbox/writable-paths.ts";
import type { ConfigSource } from "./config-source.ts";
import type { Host } from "./host.ts";

/** The path of `flock`, which holds the lock file of a thread; a program that a sandboxed command could have written is not used. */
export function createLockProgram(
  { env }: Pick<Host, "env">,
  { writablePaths }: Pick<ConfigSource, "writablePaths">,
): () => string | null {
  return () => findTrustedProgram("flock", { path: env["PATH"], isSandboxWritable: writablePaths.contains });
}
