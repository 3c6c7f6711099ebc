import { expect, test } from "vitest";
import type { Requirements, RequirementValues } from "../../config/requirements.ts";
import type { SettingsChange, ThreadSettings } from "../../engine/state/settings.ts";
import { findViolation, isProfileAllowed, limitSettings } from "./requirements.ts";

const NOTHING = {
  allowed_approval_policies: null,
  allowed_approvals_reviewers: null,
  allowed_sandbox_modes: null,
  allowed_permission_profiles: null,
};

function requiring(values: Partial<RequirementValues>): Requirements {
  const all = { ...NOTHING, ...values } as RequirementValues;
  return { file: "req.toml", values: all, written: {}, shown: all, keys: [], unknownKeys: [] };
}

const SETTINGS = {
  approvalPolicy: "never",
  approvalsReviewer: "auto_review",
  sandbox: { type: "dangerFullAccess" },
  permissionProfile: { id: ":danger-full-access", extends: null },
} as ThreadSettings;

test("without requirements everything stays", () => {
  expect([limitSettings(SETTINGS, null), limitSettings(SETTINGS, requiring({}))]).toEqual([
    { settings: SETTINGS, warnings: [] },
    { settings: SETTINGS, warnings: [] },
  ]);
});

test("what is not allowed becomes the first that is, and of the sandboxes the strictest", () => {
  const requirements = requiring({
    allowed_approval_policies: ["untrusted", "on-request"],
    allowed_approvals_reviewers: ["user"],
    allowed_sandbox_modes: ["workspace-write"],
  });
  const { settings, warnings } = limitSettings(SETTINGS, requirements);
  expect(settings).toEqual({
    approvalPolicy: "untrusted",
    approvalsReviewer: "user",
    sandbox: { type: "readOnly", networkAccess: false },
    permissionProfile: null,
  });
  expect(warnings.map((text) => text.split(" Details: ")[1])).toEqual([
    "invalid value for `approval_policy`: `Never` is not in the allowed set [UnlessTrusted, OnRequest] (set by req.toml)",
    "invalid value for `approvals_reviewer`: `AutoReview` is not in the allowed set [User] (set by req.toml)",
    "invalid value for `sandbox_mode`: `DangerFullAccess` is not in the allowed set [ReadOnly, WorkspaceWrite] (set by req.toml)",
  ]);
  expect(limitSettings(settings, requirements)).toEqual({ settings, warnings: [] });
});

test.each<[string, SettingsChange, Partial<RequirementValues>]>([
  ["another policy", { approvalPolicy: "never" }, { allowed_approval_policies: ["on-request"] }],
  ["a mode that is not listed", { sandbox: { type: "workspaceWrite" } }, { allowed_sandbox_modes: [] }],
  [
    "a mode whose profile is not allowed",
    { sandbox: { type: "dangerFullAccess" } },
    { allowed_permission_profiles: { ":workspace": true, ":danger-full-access": false } },
  ],
  [
    "a sandbox elsewhere, where nothing unconfined is allowed",
    { sandbox: { type: "externalSandbox" } },
    { allowed_permission_profiles: { ":workspace": true } },
  ],
  [
    "a granular policy with other members",
    { approvalPolicy: { granular: { sandbox_approval: true, rules: true, mcp_elicitations: true } } },
    { allowed_approval_policies: ["on-request"] },
  ],
])("%s is refused", (_what, change, values) => {
  expect(findViolation(change, requiring(values))).toContain("is not in the allowed set");
});

test.each<[string, SettingsChange, Partial<RequirementValues>]>([
  ["reading", { sandbox: { type: "readOnly" } }, { allowed_sandbox_modes: [] }],
  ["what has no limits", { model: "m" }, { allowed_sandbox_modes: [] }],
  [
    "what is listed",
    { approvalPolicy: "on-request" },
    { allowed_approval_policies: ["never", "on-request"] },
  ],
])("%s is allowed", (_what, change, values) => {
  expect(findViolation(change, requiring(values))).toBeNull();
});

test("a list without a policy leaves nothing to run with", () => {
  expect(() => limitSettings(SETTINGS, requiring({ allowed_approval_policies: [] }))).toThrow(
    "req.toml: allowed_approval_policies must name at least one value",
  );
});

test("a profile is allowed unless there is a list that does not say so", () => {
  const listed = requiring({ allowed_permission_profiles: { ":read-only": true, mine: false } });
  expect([":read-only", "mine", "other"].map((id) => isProfileAllowed(id, listed))).toEqual([
    true,
    false,
    false,
  ]);
  expect(isProfileAllowed("other", requiring({}))).toBe(true);
});
