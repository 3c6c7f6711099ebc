import { type Stats, statSync } from "node:fs";

/** What the system says of a path; null where there is nothing, or nothing that it lets us look at. */
export function statusOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
