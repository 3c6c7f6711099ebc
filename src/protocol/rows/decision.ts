// The log of permission decisions, and the command rules in force. The peer has no such methods.

import { ApprovalCause, ApprovalVerdict } from "./inbox.ts";
import { free, request } from "./row.ts";
import { array, boolean, choice, define, i64, nullable, object, optional, string, u32 } from "./shape.ts";

export const DecisionKind = define("DecisionKind", choice("command", "fileChange", "mcpTool", "permissions"));
export const DecisionListParams = define(
  "DecisionListParams",
  object({
    threadId: optional(nullable(string())),
    outcome: optional(nullable(choice("open", "approved", "denied", "cancelled"))),
    by: optional(
      nullable(
        choice("policy", "rule", "sessionGrant", "client", "hook", "timeOut", "interruption", "failure"),
      ),
    ),
    kind: optional(nullable(DecisionKind)),
    text: optional(nullable(string())),
    sinceMs: optional(nullable(i64())),
    untilMs: optional(nullable(i64())),
    cursor: optional(nullable(string())),
    limit: optional(nullable(u32())),
  }),
  "Each member narrows the list. `text` is found in what was asked about, in the reason and in the name of who decided; `sinceMs` is inclusive, `untilMs` is not, and both are times of the request.",
);
export const Decision = define(
  "Decision",
  object({
    id: string(),
    threadId: string(),
    turnId: string(),
    itemId: string(),
    kind: DecisionKind,
    command: nullable(string()),
    cwd: nullable(string()),
    paths: nullable(array(string())),
    server: nullable(string()),
    tool: nullable(string()),
    permissions: nullable(object({ network: boolean(), read: array(string()), write: array(string()) })),
    requestedAt: i64(),
    verdict: nullable(ApprovalVerdict),
    rule: nullable(object({ pattern: array(string()), file: nullable(string()) })),
    cause: nullable(ApprovalCause),
  }),
  "`verdict` is null while the question is open, `rule` where no rule decided, `cause` where nobody was asked.",
);
export const DecisionListResponse = define(
  "DecisionListResponse",
  object({ data: array(Decision), nextCursor: nullable(string()) }),
);
export const RuleListParams = define(
  "RuleListParams",
  object({
    cwd: optional(nullable(string())),
    cursor: optional(nullable(string())),
    limit: optional(nullable(u32())),
  }),
);
export const Rule = define(
  "Rule",
  object({
    pattern: array(array(string())),
    decision: choice("allow", "prompt", "forbidden"),
    justification: nullable(string()),
    file: nullable(string()),
    line: nullable(u32()),
    origin: choice("managed", "user", "project"),
  }),
  "A rule about commands: the alternatives for each of their first words.",
);
export const RuleFault = define(
  "RuleFault",
  object({ path: string(), line: nullable(u32()), message: string() }),
);
export const RuleListResponse = define(
  "RuleListResponse",
  object({ data: array(Rule), faults: array(RuleFault), nextCursor: nullable(string()) }),
  "While a file has a fault, no rule that allows is in force.",
);

export const decisionRequests = {
  "decision/list": request({
    summary: "Pages through the log of permission decisions, the newest first.",
    stability: "experimental",
    scope: "read",
    params: DecisionListParams,
    result: DecisionListResponse,
    order: free,
    idempotent: true,
    handlers: "decisions",
  }),
  "rule/list": request({
    summary: "Lists the rules about commands that are in force in a folder, in their order.",
    stability: "experimental",
    scope: "read",
    params: RuleListParams,
    result: RuleListResponse,
    order: free,
    idempotent: true,
    handlers: "decisions",
  }),
};
