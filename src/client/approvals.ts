/** Approvals as one question with one answer, whatever they are about. */
import type {
  CommandExecutionRequestApprovalParams,
  FileChangeRequestApprovalParams,
  PermissionsRequestApprovalParams,
  PermissionsRequestApprovalResponse,
} from "../protocol/generated/types.ts";

/** What is to be decided. */
export type ApprovalRequest =
  | ({ readonly type: "command" } & CommandExecutionRequestApprovalParams)
  | ({ readonly type: "fileChange" } & FileChangeRequestApprovalParams)
  | ({ readonly type: "permissions" } & PermissionsRequestApprovalParams);

/** `decline` lets the turn go on without it, `cancel` ends the turn. */
export type ApprovalDecision = "accept" | "acceptForSession" | "decline" | "cancel";

export type Approve = (request: ApprovalRequest) => ApprovalDecision | Promise<ApprovalDecision>;

type Handler = (params: unknown) => Promise<unknown>;

/** The handlers of the server's questions that a callback answers. */
export function approvalHandlers(approve: Approve): ReadonlyMap<string, Handler> {
  const decide = async (request: ApprovalRequest) => ({ decision: await approve(request) });
  return new Map<string, Handler>([
    [
      "item/commandExecution/requestApproval",
      (params) => decide({ type: "command", ...(params as CommandExecutionRequestApprovalParams) }),
    ],
    [
      "item/fileChange/requestApproval",
      (params) => decide({ type: "fileChange", ...(params as FileChangeRequestApprovalParams) }),
    ],
    [
      "item/permissions/requestApproval",
      async (params) => {
        const asked = params as PermissionsRequestApprovalParams;
        return toGrant(asked, await approve({ type: "permissions", ...asked }));
      },
    ],
  ]);
}

export const isApproval = (method: string): boolean => method.endsWith("/requestApproval");

/** All of what was asked for or nothing. */
function toGrant(
  { permissions }: PermissionsRequestApprovalParams,
  decision: ApprovalDecision,
): PermissionsRequestApprovalResponse {
  const isGranted = decision === "accept" || decision === "acceptForSession";
  if (!isGranted) return { permissions: {}, scope: "turn" };
  return { permissions, scope: decision === "accept" ? "turn" : "session" };
}
