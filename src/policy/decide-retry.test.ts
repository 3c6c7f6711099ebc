import { expect, test } from "vitest";
import { type CommandRequest, POLICY } from "./decide-command.ts";
import { decideWithoutSandbox } from "./decide-retry.ts";
import { createCommandReader } from "./read-command.ts";
import { parseRules } from "./rules/parse-rules.ts";
import { NO_RULES } from "./rules/rule-set.ts";
import { commandGrant } from "./session-grants.ts";
import { openShellGrammar } from "./shell/shell-grammar.ts";

const grammar = await openShellGrammar();
const granular = { granular: { sandbox_approval: true, rules: true, mcp_elicitations: true } };

const request: CommandRequest = {
  argv: ["/bin/bash", "-lc", "make it"],
  cwd: "/project",
  tty: false,
  shell: "/bin/bash",
  policy: granular,
  sandbox: { type: "readOnly" },
  sandboxAbility: { kind: "enforced", by: "bubblewrap" },
  escalated: false,
  justification: null,
  wantedPrefix: null,
  rules: NO_RULES,
  sessionGrants: new Set(),
  trustsReaders: true,
  canBeSteered: () => false,
};

test("what the user has allowed runs without its sandbox", () => {
  expect(decideWithoutSandbox(grammar, { ...request, policy: "untrusted" }, true)).toEqual({
    kind: "run",
    sandboxed: false,
    basis: POLICY,
  });
});

test("what nobody was asked about is asked about", () => {
  const availableDecisions = [
    "accept",
    { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["make", "it"] } },
    "cancel",
  ];
  for (const policy of [granular, "untrusted"] as const) {
    expect(decideWithoutSandbox(grammar, { ...request, policy }, false)).toEqual({
      kind: "ask",
      reason: "command failed; retry without sandbox?",
      proposedAmendment: ["make", "it"],
      availableDecisions,
      sandboxed: false,
    });
  }
});

test("a command that only reads is no exception", () => {
  const argv = ["/bin/bash", "-lc", "cat a"];
  const decision = decideWithoutSandbox(grammar, { ...request, argv, policy: "untrusted" }, false);
  expect(decision.kind).toBe("ask");
});

test("what was allowed for the session runs, and what a rule forbids does not", () => {
  const sessionGrants = new Set([
    commandGrant(createCommandReader(grammar), { ...request, escalated: true }),
  ]);
  expect(decideWithoutSandbox(grammar, { ...request, sessionGrants }, false)).toEqual({
    kind: "run",
    sandboxed: false,
    basis: { kind: "sessionGrant" },
  });
  const { rules } = parseRules('prefix_rule(pattern=["make"], decision="forbidden")');
  expect(decideWithoutSandbox(grammar, { ...request, rules }, false).kind).toBe("forbid");
});

test.each([
  "never" as const,
  "on-request" as const,
  { granular: { sandbox_approval: false, rules: true, mcp_elicitations: true } },
])("under %j nothing leaves its sandbox", (policy) => {
  for (const wasApproved of [true, false]) {
    expect(decideWithoutSandbox(grammar, { ...request, policy }, wasApproved).kind).toBe("forbid");
  }
});
