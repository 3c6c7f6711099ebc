import { findTrustedProgram } from "../../sandbox/writable-paths.ts";
import type { ConfigSource } from "./config-source.ts";

export interface LockProgramOptions {
  readonly config: Pick<ConfigSource, "places">;
  readonly env: NodeJS.ProcessEnv;
}

/** The program that tells others of a thread's writer, as it is found now: none that a confined command could have put there. */
export function createLockProgram({ config, env }: LockProgramOptions): () => string | null {
  return () => findTrustedProgram("flock", { path: env["PATH"], isSandboxWritable: config.places.contains });
}
