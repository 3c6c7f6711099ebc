/** What is wrong with a file that the server works on, in words for whoever can put it right. */
import { osErrorText } from "./errors.ts";

export const MAKE_WRITABLE =
  "make it writable for the user of the server, or set HEDDLE_HOME to another folder and start anew";
export const FREE_SPACE = "free some space there";
const IN_THE_WAY = "move away what stands in its place";

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: MAKE_WRITABLE,
  EDQUOT: FREE_SPACE,
  EISDIR: IN_THE_WAY,
  ENOSPC: FREE_SPACE,
  ENOTDIR: IN_THE_WAY,
  EPERM: MAKE_WRITABLE,
  EROFS: MAKE_WRITABLE,
};

/** Null for an error that nobody but a developer can do anything about. */
export function describeOsFault(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, path } = error as NodeJS.ErrnoException;
  const advice = ADVICE[code ?? ""];
  return advice === undefined
    ? null
    : `cannot use ${path ?? "a file of the home"}: ${osErrorText(error)}; ${advice}`;
}
