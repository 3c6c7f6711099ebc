/** The port that confines commands to the bounds of a policy. */
import type { SandboxPolicy } from "../protocol/generated/types.ts";

/** The sandbox that works on this machine, determined by a probe. */
export type SandboxAbility =
  | { readonly kind: "enforced"; readonly by: "bubblewrap" | "seatbelt" }
  /** The reason is a human-readable clause without a full stop. */
  | { readonly kind: "none"; readonly reason: string };

export interface Sandbox {
  readonly ability: SandboxAbility;
  /**
   * The command line to start instead of the command. A policy without bounds leaves it unchanged; bounds that cannot be
   * enforced are refused, and the command never runs without them.
   */
  wrap(command: SandboxCommand, policy: SandboxPolicy, options: WrapOptions): WrapOutcome;
}

export interface SandboxCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The complete environment; the policy refers to its `TMPDIR`. */
  readonly env: Readonly<Record<string, string>>;
}

export interface WrapOptions {
  /** The workspace of `workspaceWrite`, which may differ from the command's cwd. */
  readonly policyCwd: string;
  readonly extraWritableRoots?: readonly string[];
  /** Files and folders that are invisible to this command. */
  readonly hidden?: readonly string[];
  /**
   * The caller starts the command in a new session, with no terminal but its own, so that job control works. Otherwise
   * the sandbox detaches it from the terminal, because it could inject input into it.
   */
  readonly ownSession?: boolean;
}

export type WrapOutcome =
  | {
      readonly ok: true;
      readonly argv: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Must be called when the command has ended or could not be started; removes its mask folders. */
      readonly release: () => void;
    }
  | { readonly ok: false; readonly reason: string };

/** Texts that programs print after a denied system call, in lower case. */
const DENIAL_TEXTS = [
  "operation not permitted",
  "permission denied",
  "read-only file system",
  "seccomp",
  "sandbox",
  "landlock",
  "failed to write file",
];

/** 128 + SIGSYS: the exit code that a shell reports after a seccomp kill. */
const SIGSYS_EXIT_CODE = 159;

/**
 * The text that indicates that a sandboxed command failed because of its bounds, or null. This is a heuristic: good
 * enough to offer a run without the sandbox, never to grant one.
 */
export function denialHint(output: string, exitCode: number | null): string | null {
  if (exitCode === 0) return null;
  const lower = output.toLowerCase();
  const words = DENIAL_TEXTS.find((denial) => lower.includes(denial));
  if (words !== undefined) return words;
  return exitCode === SIGSYS_EXIT_CODE ? "seccomp" : null;
}
