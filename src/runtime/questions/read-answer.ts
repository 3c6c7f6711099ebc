/** Parses answers to recorded questions. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { createChecker } from "../../protocol/check.ts";
import { definitions, serverRequestRows } from "../../protocol/generated/table.ts";
import type { Subject, Verdict } from "../../store/decisions.ts";

export type QuestionMethod =
  | "item/commandExecution/requestApproval"
  | "item/fileChange/requestApproval"
  | "item/permissions/requestApproval"
  | "mcpServer/elicitation/request";

/** The server request of each kind of subject. */
export const QUESTION_METHODS: Readonly<Record<Subject["kind"], QuestionMethod>> = {
  command: "item/commandExecution/requestApproval",
  fileChange: "item/fileChange/requestApproval",
  permissions: "item/permissions/requestApproval",
  mcpTool: "mcpServer/elicitation/request",
};

export type ReadAnswer =
  | { readonly kind: "answer"; readonly result: JsonObject; readonly outcome: Verdict["outcome"] }
  | { readonly kind: "wrong"; readonly message: string };

/**
 * An answer is the decision, or the whole result of the request. A word that a kind of request does not know by itself
 * (`accept`, `decline` and `cancel` of a tool or of permissions) is read as its plainest result.
 */
export function readAnswer(kind: Subject["kind"], decision: unknown): ReadAnswer {
  const result = toResult(kind, decision);
  const verdict = createChecker(definitions).check(serverRequestRows[QUESTION_METHODS[kind]].result, result);
  if (!verdict.ok) return { kind: "wrong", message: verdict.message };
  const read = result as JsonObject;
  return { kind: "answer", result: read, outcome: outcomeOf(kind, read) };
}

function toResult(kind: Subject["kind"], decision: unknown): unknown {
  switch (kind) {
    case "command":
    case "fileChange":
      return isObject(decision) && "decision" in decision ? decision : { decision };
    case "mcpTool":
      return typeof decision === "string" ? { action: decision, content: null, _meta: null } : decision;
    case "permissions":
      return decision === "decline" || decision === "cancel" ? { permissions: {}, scope: "turn" } : decision;
  }
}

/** For the record; how far an approval extends is read by the holder of the thread. */
function outcomeOf(kind: Subject["kind"], result: JsonObject): Verdict["outcome"] {
  switch (kind) {
    case "command":
    case "fileChange": {
      const { decision } = result;
      if (decision === "cancel") return "cancelled";
      return decision === "decline" ? "denied" : "approved";
    }
    case "mcpTool":
      return result["action"] === "accept" ? "approved" : "denied";
    case "permissions": {
      const granted = isObject(result["permissions"]) ? Object.values(result["permissions"]) : [];
      return granted.some((each) => each !== null) ? "approved" : "denied";
    }
  }
}
