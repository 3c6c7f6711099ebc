/** Converts the two approval requests to the first protocol generation, and its decisions back. */

import { withoutNulls } from "../../base/json-members.ts";
import type {
  ApplyPatchApprovalParams,
  CommandExecutionApprovalDecision,
  ExecCommandApprovalParams,
  FileUpdateChange,
  ReviewDecision,
  ServerRequests,
} from "../../protocol/generated/types.ts";
import { storeChanges } from "../../store/lines/stored-values.ts";
import { toArgv, toParsedCommands } from "./item-events.ts";
import { APPLY_PATCH_APPROVAL, EXEC_COMMAND_APPROVAL, type LegacyEvent } from "./legacy-event.ts";

/** An approval request of the first generation, and the event that precedes it. */
export interface LegacyApproval {
  readonly method: typeof APPLY_PATCH_APPROVAL | typeof EXEC_COMMAND_APPROVAL;
  readonly params: Partial<ApplyPatchApprovalParams> | Partial<ExecCommandApprovalParams>;
  readonly event: LegacyEvent;
  readonly threadId: string;
  readonly turnId: string;
}

type RequestMethod = keyof ServerRequests;
const COMMAND = "item/commandExecution/requestApproval";
const FILE_CHANGE = "item/fileChange/requestApproval";

/** Null if the first generation has no such request; its clients get the current one. */
export function toLegacyApproval<M extends RequestMethod>(
  method: M,
  params: ServerRequests[M]["params"],
  changesOf: (threadId: string, itemId: string) => readonly FileUpdateChange[],
): LegacyApproval | null {
  // The method determines the params, but TypeScript cannot narrow a generic by it.
  if (method === COMMAND) return execApproval(params as ServerRequests[typeof COMMAND]["params"]);
  if (method !== FILE_CHANGE) return null;
  const given = params as ServerRequests[typeof FILE_CHANGE]["params"];
  return patchApproval(given, changesOf(given.threadId, given.itemId));
}

function execApproval(params: ServerRequests[typeof COMMAND]["params"]): LegacyApproval {
  const { threadId, turnId, itemId, reason, cwd, approvalId, networkApprovalContext: network } = params;
  const command =
    network === undefined || network === null
      ? toArgv(params.command ?? "")
      : ["network-access", `${network.protocol}://${network.host}`];
  const parsed = toParsedCommands(params.commandActions ?? []);
  return {
    method: EXEC_COMMAND_APPROVAL,
    params: withoutNulls({
      conversationId: threadId,
      callId: itemId,
      approvalId,
      command,
      cwd: cwd ?? "",
      reason,
      parsedCmd: parsed,
    }),
    event: {
      type: "exec_approval_request",
      ...withoutNulls({ call_id: itemId, turn_id: turnId, command, cwd: cwd ?? "", reason }),
      parsed_cmd: parsed,
    },
    threadId,
    turnId,
  };
}

function patchApproval(
  { threadId, turnId, itemId, reason, grantRoot }: ServerRequests[typeof FILE_CHANGE]["params"],
  changes: readonly FileUpdateChange[],
): LegacyApproval {
  const fileChanges = storeChanges(changes);
  return {
    method: APPLY_PATCH_APPROVAL,
    params: withoutNulls({ conversationId: threadId, callId: itemId, fileChanges, reason, grantRoot }),
    event: {
      type: "apply_patch_approval_request",
      ...withoutNulls({ call_id: itemId, turn_id: turnId, reason, grant_root: grantRoot }),
      changes: fileChanges,
    },
    threadId,
    turnId,
  };
}

/** Null if the decision is no valid answer to this request, which counts as a denial. */
export function fromLegacyDecision(
  method: RequestMethod,
  decision: ReviewDecision,
): CommandExecutionApprovalDecision | null {
  if (typeof decision === "string") return plainDecisions[decision];
  if ("denied" in decision) return "decline";
  if (method !== COMMAND) return null;
  if ("approved_execpolicy_amendment" in decision) {
    const { proposed_execpolicy_amendment: amendment } = decision.approved_execpolicy_amendment;
    return { acceptWithExecpolicyAmendment: { execpolicy_amendment: amendment } };
  }
  return { applyNetworkPolicyAmendment: decision.network_policy_amendment };
}

const plainDecisions: Readonly<
  Record<Extract<ReviewDecision, string>, CommandExecutionApprovalDecision | null>
> = {
  approved: "accept",
  approved_for_session: "acceptForSession",
  denied: "decline",
  timed_out: "decline",
  abort: "cancel",
  // Refers to an MCP tool, which neither of the two requests is about.
  approved_mcp_policy_amendment: null,
};
