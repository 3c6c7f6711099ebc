// The automatic reviewer that can decide approvals instead of the user.

import { NetworkApprovalProtocol, RequestPermissionProfile } from "./permission.ts";
import { notification } from "./row.ts";
import { absolutePath, array, choice, define, i64, nullable, object, string, tagged, u16 } from "./shape.ts";

export const GuardianApprovalReviewStatus = define(
  "GuardianApprovalReviewStatus",
  choice("inProgress", "approved", "denied", "timedOut", "aborted"),
);
export const GuardianRiskLevel = define("GuardianRiskLevel", choice("low", "medium", "high", "critical"));
export const GuardianUserAuthorization = define(
  "GuardianUserAuthorization",
  choice("unknown", "low", "medium", "high"),
);
export const GuardianApprovalReview = define(
  "GuardianApprovalReview",
  object({
    status: GuardianApprovalReviewStatus,
    riskLevel: nullable(GuardianRiskLevel),
    userAuthorization: nullable(GuardianUserAuthorization),
    rationale: nullable(string()),
  }),
);
export const GuardianCommandSource = define("GuardianCommandSource", choice("shell", "unifiedExec"));
export const GuardianApprovalReviewAction = define(
  "GuardianApprovalReviewAction",
  tagged("type", {
    command: { source: GuardianCommandSource, command: string(), cwd: string() },
    execve: { source: GuardianCommandSource, program: string(), argv: array(string()), cwd: absolutePath() },
    writeStdin: { approvalId: string(), processId: string(), stdin: string(), cwd: string() },
    applyPatch: { cwd: string(), files: array(string()) },
    networkAccess: { target: string(), host: string(), protocol: NetworkApprovalProtocol, port: u16() },
    mcpToolCall: {
      server: string(),
      toolName: string(),
      connectorId: nullable(string()),
      connectorName: nullable(string()),
      toolTitle: nullable(string()),
    },
    requestPermissions: { reason: nullable(string()), permissions: RequestPermissionProfile },
  }),
);
export const ItemGuardianApprovalReviewStartedNotification = define(
  "ItemGuardianApprovalReviewStartedNotification",
  object({
    threadId: string(),
    turnId: string(),
    startedAtMs: i64(),
    reviewId: string(),
    targetItemId: nullable(string()),
    review: GuardianApprovalReview,
    action: GuardianApprovalReviewAction,
  }),
);
export const AutoReviewDecisionSource = define("AutoReviewDecisionSource", choice("agent"));
export const ItemGuardianApprovalReviewCompletedNotification = define(
  "ItemGuardianApprovalReviewCompletedNotification",
  object({
    threadId: string(),
    turnId: string(),
    startedAtMs: i64(),
    completedAtMs: i64(),
    reviewId: string(),
    targetItemId: nullable(string()),
    decisionSource: AutoReviewDecisionSource,
    review: GuardianApprovalReview,
    action: GuardianApprovalReviewAction,
  }),
);
export const StrictReviewRequiredNotification = define(
  "StrictReviewRequiredNotification",
  object({ threadId: string(), turnId: string(), startedAtMs: i64() }),
);
export const GuardianWarningNotification = define(
  "GuardianWarningNotification",
  object({ threadId: string(), message: string() }),
);

export const guardianNotifications = {
  "item/autoApprovalReview/started": notification({
    summary: "The automatic reviewer began the review of an action.",
    stability: "stable",
    params: ItemGuardianApprovalReviewStartedNotification,
    audience: "thread",
  }),
  "item/autoApprovalReview/completed": notification({
    summary: "The automatic reviewer decided about an action.",
    stability: "stable",
    params: ItemGuardianApprovalReviewCompletedNotification,
    audience: "thread",
  }),
  "autoApprovalReview/strictReviewRequired": notification({
    summary: "The automatic reviewer reviews every further action of the turn.",
    stability: "experimental",
    params: StrictReviewRequiredNotification,
    audience: "thread",
  }),
  guardianWarning: notification({
    summary: "A warning of the automatic reviewer for the user.",
    stability: "stable",
    params: GuardianWarningNotification,
    audience: "thread",
  }),
};
