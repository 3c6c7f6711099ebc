/** Describes a fault of a home's database for an operator. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { describeOsFault, FREE_SPACE, MAKE_WRITABLE } from "../../../base/describe-os-fault.ts";

const ADVICE: Readonly<Record<string, string>> = {
  SQLITE_FULL: FREE_SPACE,
  SQLITE_IOERR: "check the disk",
  SQLITE_READONLY: MAKE_WRITABLE,
};

/** Null for an error of another kind, or one that an operator cannot resolve. */
export function describeDatabaseFault(error: unknown, database: string): string | null {
  if (!(error instanceof Error)) return null;
  const code = codeOf(error);
  if (code.startsWith("SQLITE_CANTOPEN")) return describeOsFault(findOpenError(database));
  // Extended codes have a suffix: `SQLITE_READONLY_DIRECTORY`.
  const advice = ADVICE[code] ?? ADVICE[code.split("_", 2).join("_")];
  return advice === undefined ? null : `cannot use ${database}: ${error.message}; ${advice}`;
}

/** One driver has names for errors, the other one has numbers. */
function codeOf(error: Error): string {
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (typeof errcode === "number") return NUMBERED[errcode & 0xff] ?? "";
  return typeof code === "string" ? code : "";
}

const NUMBERED: Readonly<Record<number, string>> = {
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
};

/** SQLite reports only that the file could not be opened; this finds the cause. */
function findOpenError(database: string): unknown {
  try {
    if (statSync(database, { throwIfNoEntry: false })?.isDirectory() === true) {
      return Object.assign(new Error("a folder"), { code: "EISDIR", errno: -21, path: database });
    }
    accessSync(dirname(database), constants.W_OK);
    accessSync(database, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    return error;
  }
}
