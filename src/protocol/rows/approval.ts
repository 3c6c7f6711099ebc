// Requests for approval of dangerous actions.

import { CommandAction } from "./item-detail.ts";
import {
  AdditionalPermissionProfile,
  ExecPolicyAmendment,
  GrantedPermissionProfile,
  NetworkApprovalContext,
  NetworkPolicyAmendment,
  PermissionGrantScope,
  RequestPermissionProfile,
} from "./permission.ts";
import { notification, serverRequest } from "./row.ts";
import {
  anyOf,
  array,
  boolean,
  choice,
  define,
  experimental,
  i64,
  nullable,
  object,
  optional,
  string,
  unit,
  variants,
} from "./shape.ts";

export const RequestId = define("RequestId", anyOf(string(), i64()));
export const ServerRequestResolvedNotification = define(
  "ServerRequestResolvedNotification",
  object({ threadId: string(), requestId: RequestId }),
);
export const CommandExecutionApprovalKind = define(
  "CommandExecutionApprovalKind",
  choice("command", "writeStdin"),
);
export const CommandExecutionApprovalDecision = define(
  "CommandExecutionApprovalDecision",
  variants({
    accept: unit,
    acceptForSession: unit,
    acceptWithExecpolicyAmendment: object({ execpolicy_amendment: ExecPolicyAmendment }),
    applyNetworkPolicyAmendment: object({ network_policy_amendment: NetworkPolicyAmendment }),
    decline: unit,
    cancel: unit,
  }),
);
export const CommandExecutionRequestApprovalParams = define(
  "CommandExecutionRequestApprovalParams",
  object({
    kind: CommandExecutionApprovalKind,
    threadId: string(),
    turnId: string(),
    itemId: string(),
    startedAtMs: i64(),
    approvalId: optional(nullable(string())),
    environmentId: optional(nullable(string())),
    reason: optional(nullable(string())),
    networkApprovalContext: optional(nullable(NetworkApprovalContext)),
    command: optional(nullable(string())),
    cwd: optional(nullable(string())),
    commandActions: optional(nullable(array(CommandAction))),
    additionalPermissions: experimental(
      "item/commandExecution/requestApproval.additionalPermissions",
      optional(nullable(AdditionalPermissionProfile)),
    ),
    proposedExecpolicyAmendment: optional(nullable(ExecPolicyAmendment)),
    proposedNetworkPolicyAmendments: optional(nullable(array(NetworkPolicyAmendment))),
    availableDecisions: experimental(
      "item/commandExecution/requestApproval.availableDecisions",
      optional(nullable(array(CommandExecutionApprovalDecision))),
    ),
  }),
);
export const CommandExecutionRequestApprovalResponse = define(
  "CommandExecutionRequestApprovalResponse",
  object({ decision: CommandExecutionApprovalDecision }),
);
export const FileChangeRequestApprovalParams = define(
  "FileChangeRequestApprovalParams",
  object({
    threadId: string(),
    turnId: string(),
    itemId: string(),
    startedAtMs: i64(),
    reason: optional(nullable(string())),
    grantRoot: optional(nullable(string())),
  }),
);
export const FileChangeApprovalDecision = define(
  "FileChangeApprovalDecision",
  choice("accept", "acceptForSession", "decline", "cancel"),
);
export const FileChangeRequestApprovalResponse = define(
  "FileChangeRequestApprovalResponse",
  object({ decision: FileChangeApprovalDecision }),
);
export const PermissionsRequestApprovalParams = define(
  "PermissionsRequestApprovalParams",
  object({
    threadId: string(),
    turnId: string(),
    itemId: string(),
    environmentId: nullable(string()),
    startedAtMs: i64(),
    cwd: string(),
    reason: nullable(string()),
    permissions: RequestPermissionProfile,
  }),
);
export const PermissionsRequestApprovalResponse = define(
  "PermissionsRequestApprovalResponse",
  object({
    permissions: GrantedPermissionProfile,
    scope: optional(PermissionGrantScope),
    strictAutoReview: nullable(boolean()),
  }),
);

export const approvalServerRequests = {
  "item/commandExecution/requestApproval": serverRequest({
    summary: "Requests approval of a command.",
    stability: "stable",
    params: CommandExecutionRequestApprovalParams,
    result: CommandExecutionRequestApprovalResponse,
    raises: "approval",
  }),
  "item/fileChange/requestApproval": serverRequest({
    summary: "Requests approval of file changes.",
    stability: "stable",
    params: FileChangeRequestApprovalParams,
    result: FileChangeRequestApprovalResponse,
    raises: "approval",
  }),
  "item/permissions/requestApproval": serverRequest({
    summary: "Requests further permissions for the agent.",
    stability: "stable",
    params: PermissionsRequestApprovalParams,
    result: PermissionsRequestApprovalResponse,
    raises: "approval",
  }),
};

export const approvalNotifications = {
  "serverRequest/resolved": notification({
    summary: "A request of the server no longer needs a response.",
    stability: "stable",
    params: ServerRequestResolvedNotification,
    audience: "family",
  }),
};
