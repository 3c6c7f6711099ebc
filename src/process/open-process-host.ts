import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { openHelperHost } from "./helper-host.ts";
import { createLocalHost } from "./local-host.ts";
import type { ProcessHost } from "./process-host.ts";

/** The name that the build gives to the bundle of `helper-main.ts`. */
const HELPER_FILE = "process-helper.cjs";

/** A host in a helper process where the package has its program, and otherwise one in this process. */
export function openProcessHost(helperFile: string | null): ProcessHost {
  return helperFile === null ? createLocalHost() : openHelperHost({ file: helperFile });
}

/** The helper's program, beside the given file or in one of the two folders above. */
export function findProcessHelper(file: string): string | null {
  const own = dirname(file);
  const places = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, HELPER_FILE));
  return places.find((place) => existsSync(place)) ?? null;
}
