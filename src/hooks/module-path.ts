import { dirname, resolve } from "node:path";
import type { ConfiguredHook } from "./configured-hook.ts";

/** Resolves the path of a module hook against the file that declares it. */
export function modulePath(
  path: string,
  { source, sourcePath }: Pick<ConfiguredHook, "source" | "sourcePath">,
  cwd: string,
): string {
  // Hooks passed as session flags have no file.
  return resolve(source === "sessionFlags" ? cwd : dirname(sourcePath), path);
}
