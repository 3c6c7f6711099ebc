// Approval requests of the first generation of the protocol, for clients that request them.

import { serverRequest } from "./row.ts";
import {
  array,
  choice,
  define,
  map,
  nullable,
  object,
  optional,
  orUnit,
  string,
  tagged,
  unit,
  uuid,
  variants,
} from "./shape.ts";

export const FileChange = define(
  "FileChange",
  tagged("type", {
    add: { content: string() },
    delete: { content: string() },
    update: { unified_diff: string(), move_path: nullable(string()) },
  }),
);
export const ApplyPatchApprovalParams = define(
  "ApplyPatchApprovalParams",
  object({
    conversationId: uuid(),
    callId: string(),
    fileChanges: map(FileChange),
    reason: optional(nullable(string())),
    grantRoot: optional(nullable(string())),
  }),
);
export const LegacyExecPolicyAmendment = define("LegacyExecPolicyAmendment", array(string()));
export const LegacyNetworkPolicyRuleAction = define("LegacyNetworkPolicyRuleAction", choice("allow", "deny"));
export const LegacyNetworkPolicyAmendment = define(
  "LegacyNetworkPolicyAmendment",
  object({ host: string(), action: LegacyNetworkPolicyRuleAction }),
);
export const ReviewDecision = define(
  "ReviewDecision",
  variants({
    approved: unit,
    approved_execpolicy_amendment: object({ proposed_execpolicy_amendment: LegacyExecPolicyAmendment }),
    approved_for_session: unit,
    approved_mcp_policy_amendment: unit,
    network_policy_amendment: object({ network_policy_amendment: LegacyNetworkPolicyAmendment }),
    denied: orUnit(object({ rejection: string() })),
    timed_out: unit,
    abort: unit,
  }),
);
export const ApplyPatchApprovalResponse = define(
  "ApplyPatchApprovalResponse",
  object({ decision: ReviewDecision }),
);
export const ParsedCommand = define(
  "ParsedCommand",
  tagged("type", {
    read: { cmd: string(), name: string(), path: string() },
    list_files: { cmd: string(), path: nullable(string()) },
    search: { cmd: string(), query: nullable(string()), path: nullable(string()) },
    unknown: { cmd: string() },
  }),
);
export const ExecCommandApprovalParams = define(
  "ExecCommandApprovalParams",
  object({
    conversationId: uuid(),
    callId: string(),
    approvalId: optional(nullable(string())),
    command: array(string()),
    cwd: string(),
    reason: optional(nullable(string())),
    parsedCmd: array(ParsedCommand),
  }),
);
export const ExecCommandApprovalResponse = define(
  "ExecCommandApprovalResponse",
  object({ decision: ReviewDecision }),
);

export const legacyApprovalServerRequests = {
  applyPatchApproval: serverRequest({
    summary: "Requests approval of file changes; for clients of the first generation.",
    stability: "stable",
    params: ApplyPatchApprovalParams,
    result: ApplyPatchApprovalResponse,
  }),
  execCommandApproval: serverRequest({
    summary: "Requests approval of a command; for clients of the first generation.",
    stability: "stable",
    params: ExecCommandApprovalParams,
    result: ExecCommandApprovalResponse,
  }),
};
