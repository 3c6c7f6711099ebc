/** The error for an unusable better-sqlite3, with one line of advice for any package manager. */
import { dirname, sep } from "node:path";
import { AppError } from "../../../base/errors.ts";

const OTHERWISE = "or use Node 22.13 or newer, which has SQLite built in.";
const PNPM_STORE = `${sep}node_modules${sep}.pnpm${sep}`;
const MODULES = `${sep}node_modules${sep}`;

/** `library` is the path of better-sqlite3; null if it is not installed. */
export function missingDriver(library: string | null, cause: unknown): AppError {
  return new AppError("store.driver", `SQLite is not available: ${describe(library)}, ${OTHERWISE}`, {
    cause,
  });
}

function describe(library: string | null): string {
  if (library === null)
    return "better-sqlite3 is not installed. Run `npm install better-sqlite3` where Heddle is installed";
  const lack = "the native part of better-sqlite3 is missing or was built for another Node.";
  const store = library.indexOf(PNPM_STORE);
  // pnpm runs scripts only of approved packages, and `pnpm rebuild` skips others silently.
  return store === -1
    ? `${lack} Run \`npm rebuild better-sqlite3 --ignore-scripts=false\` in ${installationOf(library)}`
    : `${lack} Run \`pnpm approve-builds\` in ${library.slice(0, store)} and choose better-sqlite3`;
}

/** The folder whose `node_modules` contains the library. */
function installationOf(library: string): string {
  const at = library.lastIndexOf(MODULES);
  return at === -1 ? dirname(library) : library.slice(0, at);
}
