import type { AskForApproval, SandboxPolicy } from "../../protocol/generated/types.ts";
import type { ThreadSettings } from "../state/settings.ts";

/** What the model may do, in words. */
export function describePermissions({ sandbox, approvalPolicy }: ThreadSettings): string {
  return `<permissions instructions>\n${describeSandbox(sandbox)}\n${describePolicy(approvalPolicy)}\n</permissions instructions>`;
}

function describeSandbox(sandbox: SandboxPolicy): string {
  switch (sandbox.type) {
    case "readOnly":
      return `Commands run in a sandbox of mode \`read-only\`: they can read files and write none. ${describeNetwork(sandbox.networkAccess ?? false)}`;
    case "workspaceWrite":
      return `Commands run in a sandbox of mode \`workspace-write\`: they can read files, and write in the workspace roots. ${describeNetwork(sandbox.networkAccess ?? false)}`;
    case "externalSandbox":
      return `Commands run in a sandbox that others have set up. ${describeNetwork(sandbox.networkAccess === "enabled")}`;
    case "dangerFullAccess":
      return "Commands run without a sandbox (`danger-full-access`): they can do whatever the user can.";
  }
}

function describeNetwork(enabled: boolean): string {
  return enabled ? "They can use the network." : "They cannot use the network.";
}

function describePolicy(policy: AskForApproval): string {
  if (typeof policy === "object") {
    return "The approval policy is `granular`: some requests for leave reach the user, others are denied at once.";
  }
  switch (policy) {
    case "never":
      return "The approval policy is `never`: nobody will be asked. Do not ask for `sandbox_permissions`; find another way when a command is refused.";
    case "on-request":
      return "The approval policy is `on-request`: for a command that must leave the sandbox, set `sandbox_permissions` to `require_escalated` and give the reason in `justification`.";
    case "untrusted":
      return "The approval policy is `untrusted`: the user is asked about every command that is not known to be harmless.";
  }
}
