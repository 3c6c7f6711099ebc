import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../base/json-object.ts";
import { noFacts } from "../../store/lines/thread-facts.ts";
import { recallPermissions, recallProfile } from "./recall-thread.ts";
import type { ThreadOverrides } from "./resolve-thread.ts";

const managed = (...written: readonly string[]): JsonObject => ({
  type: "managed",
  network: "restricted",
  file_system: {
    type: "restricted",
    entries: written.map((path) => ({ path: { type: "path", path }, access: "write" })),
  },
});
const READ_ONLY = { type: "readOnly", networkAccess: false };

function recall(settings: JsonObject, overrides: ThreadOverrides = {}) {
  const facts = { ...noFacts, settings: { cwd: "/project", ...settings } };
  return { ...recallPermissions(facts, overrides), profile: recallProfile(facts, overrides) };
}

describe("a thread that goes on", () => {
  test("keeps its policy, its reviewer and what it may not write", () => {
    const stored = { approval_policy: "untrusted", approvals_reviewer: "auto_review" };
    expect(recall({ ...stored, permission_profile: managed() })).toEqual({
      approvalPolicy: "untrusted",
      approvalsReviewer: "auto_review",
      sandbox: READ_ONLY,
      permissionProfile: null,
      profile: null,
    });
  });

  test("is granted anew what it may write", () => {
    expect(recall({ permission_profile: managed("/project") })).toEqual({ profile: null });
  });

  test("has its profile looked up again in place of what that allowed", () => {
    const active = { active_permission_profile: { id: "dev" } };
    expect(recall({ permission_profile: managed(), ...active })).toEqual({ profile: "dev" });
  });

  test.each<[string, ThreadOverrides]>([
    ["a mode", { sandbox: "read-only" }],
    ["a profile", { permissions: ":read-only" }],
    ["a configured mode", { config: { sandbox_mode: "read-only" } }],
    ["a configured profile", { config: { default_permissions: ":read-only" } }],
  ])("gives way to %s that its client wants", (_what, overrides) => {
    const stored = { permission_profile: managed(), active_permission_profile: { id: "dev" } };
    expect(recall(stored, overrides)).toEqual({ profile: null });
  });

  test("gives way to a policy and a reviewer that its client wants", () => {
    const stored = { approval_policy: "never", approvals_reviewer: "auto_review" };
    expect(recall(stored, { approvalPolicy: "untrusted", config: { approvals_reviewer: "user" } })).toEqual({
      profile: null,
    });
  });
});
