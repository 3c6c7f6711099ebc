/** Decides whether a file change runs, is asked about, or is refused. */
import type { Environment } from "../base/environment.ts";
import type { AskForApproval, SandboxPolicy } from "../protocol/generated/types.ts";
import { type BoundsOutcome, readBounds } from "../sandbox/bounds.ts";
import type { Guard } from "../sandbox/guard.ts";
import { isInside } from "../sandbox/inside.ts";
import type { Cause } from "../store/decisions.ts";
import { fileGrant, refusesQuestion, type SessionGrants } from "./approval-policy.ts";
import { type Basis, POLICY_BASIS } from "./decide-command.ts";
import { fileChangeCause } from "./question-cause.ts";

export interface FileChangeRequest {
  /** Absolute, with symlinks resolved: the actual targets of the writes. */
  readonly paths: readonly string[];
  readonly policy: AskForApproval;
  readonly bounds: BoundsOutcome;
  readonly sessionGrants: SessionGrants;
}

export type FileChangeDecision =
  | { readonly kind: "run"; readonly basis: Basis }
  | { readonly kind: "ask"; readonly reason: null; readonly cause: Cause }
  | { readonly kind: "forbid"; readonly reason: string };

/** The server itself writes the files after this check, so it also applies where no sandbox can be enforced. */
export function decideFileChange(request: FileChangeRequest): FileChangeDecision {
  const { paths, policy, sessionGrants } = request;
  if (paths.length === 0) return { kind: "forbid", reason: "patch rejected: empty patch" };
  if (policy !== "untrusted" && isWithinBounds(request)) return { kind: "run", basis: POLICY_BASIS };
  if (refusesQuestion(policy, "sandbox") !== null) return { kind: "forbid", reason: refusal(request) };
  return paths.every((path) => sessionGrants.has(fileGrant(path)))
    ? { kind: "run", basis: { kind: "sessionGrant" } }
    : { kind: "ask", reason: null, cause: fileChangeCause(policy) };
}

function isWithinBounds({ paths, bounds }: FileChangeRequest): boolean {
  if (bounds.kind !== "bounded") return bounds.kind === "unbounded";
  const { roots, protectedPaths } = bounds.bounds;
  return paths.every(
    (path) =>
      roots.some((root) => isInside(path, root)) && !protectedPaths.some((name) => isInside(path, name)),
  );
}

export interface PatchContext {
  readonly sandbox: SandboxPolicy;
  readonly cwd: string;
  readonly env: Environment;
  readonly guard: Guard;
}

/** A patch has the same bounds as a command of its thread. */
export function boundsOfPatches({ sandbox, cwd, env, guard }: PatchContext): BoundsOutcome {
  const temporary = env["TMPDIR"];
  const command = { argv: [], cwd, env: temporary === undefined ? {} : { TMPDIR: temporary } };
  return readBounds(sandbox, command, { policyCwd: cwd }, guard);
}

function refusal({ bounds }: FileChangeRequest): string {
  const isReadOnly = bounds.kind === "bounded" && bounds.bounds.roots.length === 0;
  return isReadOnly
    ? "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings"
    : "patch rejected: writing outside of the project; rejected by user approval settings";
}
