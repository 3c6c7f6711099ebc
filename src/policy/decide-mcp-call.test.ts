import { expect, test } from "vitest";
import { mcpGrant } from "./approval-policy.ts";
import { decideMcpCall, isUnrestricted, type McpCallRequest } from "./decide-mcp-call.ts";

const request: McpCallRequest = {
  server: "one",
  tool: "danger",
  mode: "auto",
  annotations: undefined,
  approvalPolicy: "on-request",
  sandbox: { type: "readOnly", networkAccess: false },
  sessionGrants: new Set(),
};

test.each([
  ["auto", undefined, "ask"],
  ["auto", { readOnlyHint: true }, "run"],
  ["auto", { readOnlyHint: true, destructiveHint: true }, "ask"],
  ["auto", { destructiveHint: false }, "ask"],
  ["auto", { destructiveHint: false, openWorldHint: false }, "run"],
  ["writes", { readOnlyHint: true }, "run"],
  ["writes", { destructiveHint: false, openWorldHint: false }, "ask"],
  ["prompt", { readOnlyHint: true }, "ask"],
  ["approve", { destructiveHint: true }, "run"],
] as const)("in mode %s a tool with the hints %j: %s", (mode, annotations, kind) => {
  expect(decideMcpCall({ ...request, mode, annotations })).toMatchObject({ kind });
});

test("a choice for later calls is offered and applied only if the annotations decide", () => {
  const sessionGrants = new Set([mcpGrant("one", "danger")]);
  expect(decideMcpCall(request)).toEqual({
    kind: "ask",
    mayLast: true,
    cause: { kind: "policy", policy: "on-request", why: "the tool does not say that it is harmless" },
  });
  expect(decideMcpCall({ ...request, sessionGrants })).toEqual({
    kind: "run",
    basis: { kind: "sessionGrant" },
  });
  expect(decideMcpCall({ ...request, sessionGrants, mode: "prompt" })).toEqual({
    kind: "ask",
    mayLast: false,
    cause: {
      kind: "policy",
      policy: "on-request",
      why: "the configuration asks before each call of this tool",
    },
  });
});

test("there is no question if the approval policy is never", () => {
  expect(decideMcpCall({ ...request, approvalPolicy: "never" })).toEqual({
    kind: "forbid",
    reason: "MCP tool call requires approval, but approval policy is never",
  });
});

test("only a thread without questions and with full access is unrestricted", () => {
  const open = { type: "dangerFullAccess" } as const;
  expect([
    isUnrestricted({ approvalPolicy: "never", sandbox: open }),
    isUnrestricted({ approvalPolicy: "on-request", sandbox: open }),
    isUnrestricted({ approvalPolicy: "never", sandbox: request.sandbox }),
  ]).toEqual([true, false, false]);
});
