// Why history could not be written, in words.
import { osErrorText } from "../../base/os-error.ts";

export type WriteFaultReason =
  | "noSpace"
  | "readOnly"
  | "denied"
  | "blocked"
  | "takenOver"
  | "backlog"
  | "closed"
  | "other";

export interface WriteFault {
  readonly reason: WriteFaultReason;
  readonly message: string;
}

const REASONS: Readonly<Record<string, WriteFaultReason>> = {
  ENOSPC: "noSpace",
  EDQUOT: "noSpace",
  EROFS: "readOnly",
  EACCES: "denied",
  EPERM: "denied",
  EISDIR: "blocked",
  ENOTDIR: "blocked",
  EEXIST: "blocked",
};

export function writeFault(path: string, error: unknown): WriteFault {
  const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""] ?? "other";
  return { reason, message: `cannot write history to ${path}: ${osErrorText(error)}` };
}

export function takenOver(path: string, how: string): WriteFault {
  return {
    reason: "takenOver",
    message: `another program ${how} ${path}; nothing more is written to it from here`,
  };
}
