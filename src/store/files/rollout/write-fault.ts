/** Append failures of a file, with messages for clients. */
import { osErrorText } from "../../../base/errors.ts";
import type { AppendFailure, UnavailableReason } from "../../journal.ts";

const REASONS: Readonly<Record<string, UnavailableReason>> = {
  ENOSPC: "noSpace",
  EDQUOT: "noSpace",
  EROFS: "readOnly",
  EACCES: "denied",
  EPERM: "denied",
  EISDIR: "blocked",
  ENOTDIR: "blocked",
  EEXIST: "blocked",
};

/** Maps an I/O error to an append failure. */
export function unavailable(path: string, error: unknown): AppendFailure {
  const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""] ?? "other";
  return { kind: "unavailable", reason, message: `cannot write history to ${path}: ${osErrorText(error)}` };
}

export function fenced(path: string, how: string): AppendFailure {
  const message = `another program ${how} ${path}; nothing more is written to it from here`;
  return { kind: "fenced", reason: "takenOver", message };
}
