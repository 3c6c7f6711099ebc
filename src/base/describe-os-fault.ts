/** Turns file system errors into messages that tell an operator how to fix them. */
import { osErrorText } from "./errors.ts";

export const MAKE_WRITABLE =
  "make it writable for the user of the server, or set HEDDLE_HOME to another folder and start anew";
export const FREE_SPACE = "free some space there";
const MOVE_AWAY = "move away what stands in its place";

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: MAKE_WRITABLE,
  EDQUOT: FREE_SPACE,
  EISDIR: MOVE_AWAY,
  ENOSPC: FREE_SPACE,
  ENOTDIR: MOVE_AWAY,
  EPERM: MAKE_WRITABLE,
  EROFS: MAKE_WRITABLE,
};

/** Null for an error that an operator cannot fix. */
export function describeOsFault(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, path } = error as NodeJS.ErrnoException;
  const advice = ADVICE[code ?? ""];
  return advice === undefined
    ? null
    : `cannot use ${path ?? "a file of the home"}: ${osErrorText(error)}; ${advice}`;
}
