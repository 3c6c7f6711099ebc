/** Applies the requirements of the administrator to the settings of threads. */
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../base/errors.ts";
import { PROFILES } from "../../config/built-ins.ts";
import type { Requirements } from "../../config/requirements.ts";
import type { SettingsChange, ThreadSettings } from "../../engine/state/settings.ts";
import type { AskForApproval, SandboxPolicy } from "../../protocol/generated/types.ts";
import { withEveryKind } from "./thread-settings.ts";

export interface RequiredSettings {
  readonly settings: ThreadSettings;
  /** Messages about the settings that were replaced. */
  readonly warnings: readonly string[];
}

interface Limit {
  readonly setting: string;
  readonly allowed: readonly unknown[];
  /** The value, in the notation of the requirements file; undefined if the change does not set it. */
  readonly valueOf: (wanted: SettingsChange) => unknown;
  /** The fallback for a value that is not allowed. */
  readonly instead: SettingsChange;
}

const READ_ONLY: SandboxPolicy = { type: "readOnly", networkAccess: false };
const MODES = {
  readOnly: "read-only",
  workspaceWrite: "workspace-write",
  dangerFullAccess: "danger-full-access",
  externalSandbox: "external-sandbox",
} as const satisfies Record<SandboxPolicy["type"], string>;

/** Whether a change sets values that requirements can limit. */
export function isLimited({ approvalPolicy, approvalsReviewer, sandbox }: SettingsChange): boolean {
  return approvalPolicy !== undefined || approvalsReviewer !== undefined || sandbox !== undefined;
}

/** Why a change is forbidden; null if it is allowed. */
export function findViolation(change: SettingsChange, requirements: Requirements | null): string | null {
  for (const limit of limitsOf(requirements)) {
    const violation = violationOf(limit, change, requirements);
    if (violation !== null) return violation;
  }
  return null;
}

/** The settings, with forbidden values replaced by allowed ones. */
export function limitSettings(settings: ThreadSettings, requirements: Requirements | null): RequiredSettings {
  let current = settings;
  const warnings: string[] = [];
  for (const limit of limitsOf(requirements)) {
    const violation = violationOf(limit, current, requirements);
    if (violation === null) continue;
    current = { ...current, ...limit.instead };
    const used = nameOf(limit.valueOf(limit.instead));
    warnings.push(
      `Configured value for \`${limit.setting}\` is disallowed by requirements; falling back to required value ${used}. Details: ${violation}`,
    );
  }
  return { settings: current, warnings };
}

export function isProfileAllowed(profile: string, requirements: Requirements | null): boolean {
  const allowed = requirements?.values.allowed_permission_profiles ?? null;
  return allowed === null || allowed[profile] === true;
}

function limitsOf(requirements: Requirements | null): Limit[] {
  if (requirements === null) return [];
  const { values, file } = requirements;
  const limits: Limit[] = [];
  if (values.allowed_approval_policies !== null) {
    // The schema has checked the granular form, but its type does not say so.
    const allowed = values.allowed_approval_policies as readonly AskForApproval[];
    limits.push({
      setting: "approval_policy",
      allowed: allowed.map(withEveryKind),
      valueOf: ({ approvalPolicy }) => approvalPolicy,
      instead: { approvalPolicy: withEveryKind(firstOf(allowed, "allowed_approval_policies", file)) },
    });
  }
  if (values.allowed_approvals_reviewers !== null) {
    const allowed = values.allowed_approvals_reviewers;
    limits.push({
      setting: "approvals_reviewer",
      allowed,
      valueOf: ({ approvalsReviewer }) => approvalsReviewer,
      instead: { approvalsReviewer: firstOf(allowed, "allowed_approvals_reviewers", file) },
    });
  }
  const modes = allowedModes(requirements);
  if (modes !== null) {
    limits.push({
      setting: "sandbox_mode",
      allowed: modes,
      valueOf: ({ sandbox }) => (sandbox === undefined ? undefined : MODES[sandbox.type]),
      instead: { sandbox: READ_ONLY, permissionProfile: null },
    });
  }
  return limits;
}

/**
 * The listed modes whose profiles are allowed as well; null if there is no list. Read-only is always allowed.
 */
function allowedModes(requirements: Requirements): string[] | null {
  const { allowed_sandbox_modes: listed, allowed_permission_profiles: profiles } = requirements.values;
  if (listed === null && profiles === null) return null;
  return Object.values(MODES).filter((mode) => {
    if (mode === "read-only") return true;
    // An external sandbox does not confine anything here.
    const profile = mode === "external-sandbox" ? PROFILES["danger-full-access"] : PROFILES[mode];
    return (listed?.includes(mode) ?? true) && isProfileAllowed(profile, requirements);
  });
}

function firstOf<T>([first]: readonly T[], key: string, file: string): T {
  if (first !== undefined) return first;
  throw new AppError("config.invalid", `${file}: ${key} must name at least one value`);
}

function violationOf(
  { setting, allowed, valueOf }: Limit,
  wanted: SettingsChange,
  requirements: Requirements | null,
): string | null {
  const value = valueOf(wanted);
  if (value === undefined || allowed.some((each) => isDeepStrictEqual(each, value))) return null;
  const list = allowed.map(nameOf).join(", ");
  return `invalid value for \`${setting}\`: \`${nameOf(value)}\` is not in the allowed set [${list}] (set by ${requirements?.file})`;
}

/** The name of a value in error messages, as the peer writes it. */
function nameOf(value: unknown): string {
  if (value === "untrusted") return "UnlessTrusted";
  if (typeof value !== "string") return `Granular(${JSON.stringify(value)})`;
  return value.replace(/(?:^|[-_])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
