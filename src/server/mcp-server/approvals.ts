/**
 * Forwards the approval requests of a tool call to the MCP client, in a form that it supports; denies them if
 * it supports none.
 */

import { withoutNulls } from "../../base/json-members.ts";
import { isObject } from "../../base/json-object.ts";
import { joinWords } from "../../base/shlex.ts";
import { encodeRequest, type RequestId, type RequestMessage } from "../../jsonrpc/message.ts";
import type { Responder } from "../../jsonrpc/peer.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type { ApplyPatchApprovalParams, ExecCommandApprovalParams } from "../../protocol/generated/types.ts";
import { APPLY_PATCH_APPROVAL, EXEC_COMMAND_APPROVAL } from "../legacy/legacy-event.ts";
import type { ToolCalls } from "./tool-calls.ts";

export type ApprovalForm = "typed" | "elicitation" | "none";

export interface ApprovalsOptions {
  readonly form: () => ApprovalForm;
  /** Sends an encoded request to the client. The response is recognized by `takeAnswer`. */
  readonly forward: (text: string) => void;
  readonly elicit: (params: object, signal: AbortSignal) => Promise<unknown>;
  readonly running: ToolCalls["running"];
}

export interface Approvals {
  ask(request: RequestMessage, reply: Responder): void;
  /** Whether a response of the client answers a forwarded request; true once for each. */
  takeAnswer(id: RequestId): boolean;
  /** The request no longer needs an answer. */
  resolved(requestId: unknown): void;
}

export function createApprovals({ form, forward, elicit, running }: ApprovalsOptions): Approvals {
  const open = new Map<unknown, AbortController>();
  const forwarded = new Set<unknown>();

  async function elicitDecision({ id, method, params }: RequestMessage, reply: Responder): Promise<void> {
    const withdrawal = new AbortController();
    open.set(id, withdrawal);
    const question = toElicitation(method, params, running);
    try {
      reply.result({ decision: toDecision(await elicit(question, withdrawal.signal)) });
    } catch {
      reply.result({ decision: "denied" });
    } finally {
      open.delete(id);
    }
  }

  return {
    ask(request, reply) {
      const { id, method, params } = request;
      if (method !== EXEC_COMMAND_APPROVAL && method !== APPLY_PATCH_APPROVAL) {
        const message = `${method} cannot be answered by an MCP client`;
        return reply.error({ code: errorCodes.methodNotFound, message });
      }
      switch (form()) {
        case "typed":
          forwarded.add(id);
          return forward(encodeRequest(id, method, params));
        case "elicitation":
          return void elicitDecision(request, reply);
        case "none":
          return reply.result({ decision: "denied" });
      }
    },
    takeAnswer: (id) => forwarded.delete(id),
    resolved(requestId) {
      forwarded.delete(requestId);
      open.get(requestId)?.abort();
    },
  };
}

/** The members besides `message` and `requestedSchema` describe the approval to clients that know them. */
function toElicitation(method: string, params: unknown, running: ToolCalls["running"]): object {
  // The row of the request guarantees the type of the params.
  const { conversationId, callId } = params as ExecCommandApprovalParams | ApplyPatchApprovalParams;
  const call = running(conversationId);
  const shared = {
    requestedSchema: { type: "object", properties: {} },
    threadId: conversationId,
    codex_mcp_tool_call_id: String(call?.requestId ?? ""),
    codex_event_id: call?.turnId ?? "",
    codex_call_id: callId,
  };
  if (method === EXEC_COMMAND_APPROVAL) {
    const { command, cwd, reason, parsedCmd } = params as ExecCommandApprovalParams;
    return {
      message: withReason(reason, `Allow the agent to run \`${joinWords(command)}\` in \`${cwd}\`?`),
      ...shared,
      codex_elicitation: "exec-approval",
      codex_command: command,
      codex_cwd: cwd,
      codex_parsed_cmd: parsedCmd,
    };
  }
  const { fileChanges, reason, grantRoot } = params as ApplyPatchApprovalParams;
  return withoutNulls({
    message: withReason(reason, `Allow the agent to change ${Object.keys(fileChanges).join(", ")}?`),
    ...shared,
    codex_elicitation: "patch-approval",
    codex_reason: reason,
    codex_grant_root: grantRoot,
    codex_changes: fileChanges,
  });
}

function withReason(reason: string | null | undefined, question: string): string {
  return typeof reason === "string" ? `${reason}\n${question}` : question;
}

const ACTIONS: ReadonlyMap<unknown, string> = new Map([
  ["accept", "approved"],
  ["decline", "denied"],
  ["cancel", "abort"],
]);

/** Clients of the first generation answer an elicitation with a decision, others with an action. */
function toDecision(result: unknown): unknown {
  if (!isObject(result)) return "denied";
  const { action, decision } = result;
  return (action === undefined ? decision : ACTIONS.get(action)) ?? "denied";
}
