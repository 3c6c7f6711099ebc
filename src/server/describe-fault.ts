/** What is wrong with the files that the server works on, in words for whoever can put it right. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { osErrorText } from "../base/errors.ts";

const WRITABLE =
  "make it writable for the user of the server, or set HEDDLE_HOME to another folder and start anew";
const SPACE = "free some space there";
const IN_THE_WAY = "move away what stands in its place";

/** By what the system says, or the database. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: WRITABLE,
  EDQUOT: SPACE,
  EISDIR: IN_THE_WAY,
  ENOSPC: SPACE,
  ENOTDIR: IN_THE_WAY,
  EPERM: WRITABLE,
  EROFS: WRITABLE,
  SQLITE_FULL: SPACE,
  SQLITE_IOERR: "look at the disk",
  SQLITE_READONLY: WRITABLE,
};

/** Null for an error that nobody but a developer can do anything about. */
export function describeFault(error: unknown, database: string): string | null {
  if (!(error instanceof Error)) return null;
  const { path } = error as NodeJS.ErrnoException;
  const code = codeOf(error);
  if (code.startsWith("SQLITE_CANTOPEN")) return describeFault(whyUnopened(database), database);
  // The kinds of an error stand behind its name: `SQLITE_READONLY_DIRECTORY`.
  const advice = ADVICE[code] ?? ADVICE[code.split("_", 2).join("_")];
  if (advice === undefined) return null;
  const [file, words] = code.startsWith("SQLITE_") ? [database, error.message] : [path, osErrorText(error)];
  return `cannot use ${file ?? "a file of the home"}: ${words}; ${advice}`;
}

/** The drivers of the database name what went wrong, or number it. */
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

/** The database itself only says that it could not be opened. */
function whyUnopened(database: string): unknown {
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
