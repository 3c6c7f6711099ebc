// The approval policy: actions without approval, and who approves others.

import {
  absolutePath,
  array,
  boolean,
  byDefault,
  choice,
  define,
  experimental,
  object,
  tagged,
  titled,
  unit,
  variants,
} from "./shape.ts";

export const ApprovalsReviewer = define(
  "ApprovalsReviewer",
  choice("user", "auto_review", "guardian_subagent"),
);
export const AskForApproval = define(
  "AskForApproval",
  variants({
    untrusted: unit,
    "on-request": unit,
    granular: experimental(
      "askForApproval.granular",
      object({
        sandbox_approval: boolean(),
        rules: boolean(),
        skill_approval: byDefault(false, boolean()),
        request_permissions: byDefault(false, boolean()),
        mcp_elicitations: boolean(),
      }),
    ),
    never: unit,
  }),
);
export const NetworkAccess = define("NetworkAccess", choice("restricted", "enabled"));
export const SandboxMode = define(
  "SandboxMode",
  choice("read-only", "workspace-write", "danger-full-access"),
);
export const SandboxPolicy = define(
  "SandboxPolicy",
  titled(
    "SandboxPolicyDeserialize",
    tagged("type", {
      dangerFullAccess: {},
      readOnly: { networkAccess: byDefault(false, boolean()) },
      externalSandbox: { networkAccess: byDefault("restricted", NetworkAccess) },
      workspaceWrite: {
        writableRoots: byDefault([], array(absolutePath())),
        networkAccess: byDefault(false, boolean()),
        excludeTmpdirEnvVar: byDefault(false, boolean()),
        excludeSlashTmp: byDefault(false, boolean()),
      },
    }),
  ),
);
