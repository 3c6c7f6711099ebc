import type { PermissionAnswer, PermissionSubject, Permissions } from "./permission.ts";

/** Permissions whose answers the test decides. */
export function decidePermissions(
  decide: (subject: PermissionSubject) => PermissionAnswer | Promise<PermissionAnswer>,
): Permissions {
  // The test answers each subject with an answer of its kind.
  const permissions: Permissions = {
    request: async (subject) => (await decide(subject)) as never,
    under: () => permissions,
  };
  return permissions;
}

export const FORBIDDEN: PermissionAnswer = {
  kind: "declined",
  reason: "nobody is asked here",
  cause: "policy",
};
