/** The two approvals in the form of the first generation, and its decisions in the form of today. */

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

/** A question as the first generation receives it: an event first, then the request. */
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

/** Null for what the first generation had no request for; it gets today's. */
export function toLegacyApproval<M extends RequestMethod>(
  method: M,
  params: ServerRequests[M]["params"],
  changesOf: (threadId: string, itemId: string) => readonly FileUpdateChange[],
): LegacyApproval | null {
  // The method says which params these are; the compiler does not follow a generic that far.
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

/** Null where the decision is none that this request can be answered with: whoever waits takes that for a no. */
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
  // About a tool of an MCP server, which neither of the two requests is about.
  approved_mcp_policy_amendment: null,
};
