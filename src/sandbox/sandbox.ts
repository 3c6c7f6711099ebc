/** The port through which commands are kept within the bounds that a policy sets. */
import type { SandboxPolicy } from "../protocol/generated/types.ts";

/** What this machine can enforce, found out by trying. */
export type SandboxAbility =
  | { readonly kind: "enforced"; readonly by: "bubblewrap" | "seatbelt" }
  /** The reason is a clause for a person to read, without a full stop. */
  | { readonly kind: "none"; readonly reason: string };

export interface Sandbox {
  readonly ability: SandboxAbility;
  /**
   * What to start in place of the command. A policy without bounds leaves it as it is; bounds that cannot be
   * enforced are a refusal, never a command without them.
   */
  wrap(command: SandboxCommand, policy: SandboxPolicy, options: WrapOptions): WrapOutcome;
}

export interface SandboxCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** All of its environment; `TMPDIR` in it is the one that the policy speaks of. */
  readonly env: Readonly<Record<string, string>>;
}

export interface WrapOptions {
  /** The workspace that `workspaceWrite` speaks of, which need not be the command's folder. */
  readonly policyCwd: string;
  readonly extraWritableRoots?: readonly string[];
  /** Files and folders that this command may not even see. */
  readonly hidden?: readonly string[];
  /**
   * Whoever starts the command gives it a session of its own, on no terminal but its own. Job control then works
   * in it; otherwise it is cut off from the terminal, into which it could type.
   */
  readonly ownSession?: boolean;
}

export type WrapOutcome =
  | {
      readonly ok: true;
      readonly argv: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** To be called once the command has ended, or could not be started: takes away what stood in for it. */
      readonly release: () => void;
    }
  | { readonly ok: false; readonly reason: string };

/** Words that a program prints when the system refused it something, in lower case. */
const DENIALS = [
  "operation not permitted",
  "permission denied",
  "read-only file system",
  "seccomp",
  "sandbox",
  "landlock",
  "failed to write file",
];

/** 128 and the number of SIGSYS: what a shell reports for a call that a filter has ended. */
const ENDED_BY_FILTER = 159;

/**
 * The words that make it likely that a confined command failed because of its bounds, or null. It is a guess, good
 * enough to offer a run without them, never to grant one.
 */
export function denialHint(output: string, exitCode: number | null): string | null {
  if (exitCode === 0) return null;
  const lower = output.toLowerCase();
  const words = DENIALS.find((denial) => lower.includes(denial));
  if (words !== undefined) return words;
  return exitCode === ENDED_BY_FILTER ? "seccomp" : null;
}
