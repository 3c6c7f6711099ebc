import { expect, test } from "vitest";
import type { Ask } from "../tool.ts";
import { createElicit } from "./elicitation.ts";
import { POLICY } from "./fixtures/mcp-bench.ts";
import type { ElicitationParams } from "./mcp-client.ts";
import type { McpPolicy } from "./mcp-policy.ts";

const FULL_ACCESS: McpPolicy = { ...POLICY, approvalPolicy: "never", sandbox: { type: "dangerFullAccess" } };
const form: ElicitationParams = {
  mode: "form",
  message: "Which?",
  requestedSchema: { type: "object", properties: { a: { type: "string" } } },
};
const confirmation: ElicitationParams = {
  mode: "form",
  message: "Really?",
  requestedSchema: { type: "object", properties: {} },
};
const page: ElicitationParams = {
  mode: "url",
  message: "Sign in",
  url: "https://example.test/",
  elicitationId: "1",
};

/** The response to the server if a user, when asked, submits the content `{ a: "x" }`. */
async function answer(params: ElicitationParams, policy: McpPolicy) {
  // The only question here is that of a server.
  const ask = (async () => ({
    kind: "answered",
    result: { action: "accept", content: { a: "x" }, _meta: null },
  })) as unknown as Ask;
  const ports = { threadId: "t", turnId: null, server: "one", policy: () => policy, ask };
  return createElicit(ports).answer(params, new AbortController().signal);
}

const asked = { action: "accept", content: { a: "x" } };
const declined = { action: "decline" };

test.each([
  ["a form is filled in by a user who is there", form, true, asked],
  ["a form is declined where nobody is there", form, false, declined],
  ["a mere confirmation is given unasked", confirmation, true, { action: "accept", content: {} }],
  ["a page is declined", page, true, declined],
  [
    "a question of permission is declined",
    { ...form, _meta: { codex_approval_kind: "mcp_tool_call" } },
    true,
    declined,
  ],
  [
    "a confirmation that claims to be ours is declined",
    { ...confirmation, _meta: { codex_approval_kind: "tool_suggestion" } },
    true,
    declined,
  ],
])("in full access %s", async (_, params, fillsForms, expected) => {
  expect(await answer(params, { ...FULL_ACCESS, fillsForms })).toEqual(expected);
});

test("a user who is never asked and has no full access fills in no forms", async () => {
  expect(await answer(form, { ...POLICY, approvalPolicy: "never", fillsForms: true })).toEqual(declined);
});
