import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const PROFILE_FILE = /^([A-Za-z0-9_-]+)\.config\.toml$/;
const MAX_NAMED = 20;

/** The error for a selected profile that is missing; null where it exists. */
export function describeMissingProfile(home: string, profile: string): string | null {
  const file = join(home, `${profile}.config.toml`);
  if (existsSync(file)) return null;
  const names = listProfiles(home);
  const known = names.length === 0 ? "there are none yet" : `there are ${joinSome(names)}`;
  return `profile \`${profile}\` does not exist: there is no ${file}; ${known}`;
}

function listProfiles(home: string): string[] {
  return readdirSync(home)
    .flatMap((name) => PROFILE_FILE.exec(name)?.[1] ?? [])
    .sort();
}

function joinSome(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
