import { dirname, resolve } from "node:path";
import type { ConfiguredHook } from "./configured-hook.ts";

/** Which file the path of a module means: it starts at the file that names it. */
export function modulePath(
  path: string,
  { source, sourcePath }: Pick<ConfiguredHook, "source" | "sourcePath">,
  cwd: string,
): string {
  // What a client gives with a thread is in no file.
  return resolve(source === "sessionFlags" ? cwd : dirname(sourcePath), path);
}
