import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where a path leads once all links are followed; of what does not exist, the place where it would be. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), path.slice(parent.length));
  }
}
