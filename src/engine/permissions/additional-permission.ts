/**
 * Requests for permissions beyond the sandbox: the network, or folders to write to. Clients may grant a part of a
 * request.
 */
import type {
  GrantedPermissionProfile,
  PermissionGrantScope,
  RequestPermissionProfile,
} from "../../protocol/generated/types.ts";
import type { AdditionalPermissions, AdditionalPermissionsSubject } from "../../tools/permission.ts";
import { describeAdditionalPermissions } from "../../tools/permissions/permission-grants.ts";
import {
  declined,
  FOR_SESSION,
  type PermissionOptions,
  type PermissionQuestion,
  REQUEST_FAILED,
  type SubjectKind,
} from "./permission-kind.ts";

const REACH: Readonly<Record<PermissionGrantScope, string>> = {
  turn: "for the turn",
  session: FOR_SESSION,
};

export const additionalPermission: SubjectKind<AdditionalPermissionsSubject> = {
  unanswered: REQUEST_FAILED,
  toDecisionRequest: ({ itemId, requested }) => ({ itemId, subject: { kind: "permissions", ...requested } }),
  async rule(subject, options) {
    if (options.policy.mayAskForAdditional) {
      const why = subject.reason ?? "the model wants more than the sandbox of the thread allows";
      return { kind: "ask", question: askFor(subject, options), cause: { kind: "sandbox", why } };
    }
    return { kind: "forbid", basis: { kind: "policy" }, reason: "nobody may be asked", cause: "policy" };
  },
};

function askFor(
  { itemId, cwd, reason, requested }: AdditionalPermissionsSubject,
  { threadId, turnId, clock, policy }: PermissionOptions,
): PermissionQuestion<AdditionalPermissionsSubject, "item/permissions/requestApproval"> {
  return {
    method: "item/permissions/requestApproval",
    params: () => ({
      threadId,
      turnId,
      itemId,
      environmentId: "local",
      startedAtMs: clock.now(),
      cwd,
      reason,
      permissions: toProfile(requested),
    }),
    accepted: { permissions: toProfile(requested), scope: "turn" },
    read({ permissions, scope = "turn" }) {
      const granted = within(requested, permissions);
      const summary = describeAdditionalPermissions(granted);
      if (summary === "") {
        const no = "rejected by user";
        return { outcome: "denied", reason: no, answer: { ...declined(no, "answer"), scope } };
      }
      return {
        outcome: "approved",
        reason: `${REACH[scope]}: ${summary}`,
        answer: { kind: "approved", granted, scope },
        grant: async () => policy.grantAdditional(turnId, scope, granted),
      };
    },
  };
}

function toProfile({ network, read, write }: AdditionalPermissions): RequestPermissionProfile {
  const entry = (access: "read" | "write") => (path: string) => ({
    path: { type: "path" as const, path },
    access,
  });
  const hasFiles = read.length + write.length > 0;
  return {
    network: network ? { enabled: true } : null,
    fileSystem: hasFiles
      ? {
          read: read.length === 0 ? null : [...read],
          write: write.length === 0 ? null : [...write],
          entries: [...read.map(entry("read")), ...write.map(entry("write"))],
        }
      : null,
  };
}

/** Reduces a grant to the permissions that were requested. */
function within(
  requested: AdditionalPermissions,
  { network, fileSystem }: GrantedPermissionProfile,
): AdditionalPermissions {
  const common = (asked: readonly string[], given: readonly string[] | null | undefined) =>
    asked.filter((path) => given?.includes(path) === true);
  return {
    network: requested.network && network?.enabled === true,
    read: common(requested.read, fileSystem?.read),
    write: common(requested.write, fileSystem?.write),
  };
}
