import { expect, test } from "vitest";
import type { AskForApproval, SandboxPolicy } from "../protocol/generated/types.ts";
import { commandGrant } from "./approval-policy.ts";
import { createCommandReader } from "./commands/command-reader.ts";
import {
  type CommandDecision,
  type CommandRequest,
  decideCommand,
  decideWithoutSandbox,
  POLICY_BASIS,
} from "./decide-command.ts";
import recorded from "./fixtures/peer-decisions.json" with { type: "json" };
import { parseRules } from "./rules/parse-rules.ts";
import { NO_RULES, type RuleSet } from "./rules/rule-set.ts";
import { openShellGrammar } from "./shell/shell-grammar.ts";

const grammar = await openShellGrammar();
const enforced = { kind: "enforced", by: "bubblewrap" } as const;
const unenforced = { kind: "none", reason: "bubblewrap is not installed" } as const;
const BY_MAKE = { kind: "rule", prefix: ["make"], file: null };
const readOnly = { type: "readOnly" } as const;

function request(script: string, changes: Partial<CommandRequest> = {}): CommandRequest {
  return {
    argv: ["/bin/bash", "-lc", script],
    cwd: "/project",
    tty: false,
    shell: "/bin/bash",
    policy: "on-request",
    sandbox: readOnly,
    sandboxAbility: enforced,
    escalated: false,
    justification: null,
    wantedPrefix: null,
    rules: NO_RULES,
    sessionGrants: new Set(),
    trustsReadOnlyCommands: false,
    canBeHijacked: () => false,
    ...changes,
  };
}

const decide = (script: string, changes: Partial<CommandRequest> = {}) =>
  decideCommand(grammar, request(script, changes));

function rules(...lines: string[]): RuleSet {
  const parsed = parseRules(lines.join("\n"));
  expect(parsed).toMatchObject({ ok: true });
  return parsed.rules;
}

function inWords(decision: CommandDecision): string {
  if (decision.kind === "run") return "run";
  if (decision.kind === "ask")
    return `ask ${JSON.stringify(decision.reason)} amend ${JSON.stringify(decision.proposedAmendment)}`;
  return `${decision.cause === "escalation" ? "refuse" : "forbid"} ${decision.reason}`;
}

for (const { policy, sandbox, outcomes } of recorded.situations) {
  const name = typeof policy === "string" ? policy : JSON.stringify(policy.granular);
  test(`every command is decided as the peer does under ${name} in ${sandbox.type}`, () => {
    const set = rules(...recorded.rules);
    const decided = recorded.calls.map(({ script, ...call }) =>
      decide(script, {
        ...call,
        policy: policy as AskForApproval,
        sandbox: sandbox as SandboxPolicy,
        rules: set,
      }),
    );
    expect(decided.map(inWords)).toEqual(outcomes);
  });
}

test("a sandboxed command runs without a question on request, and one that rules allow leaves the sandbox", () => {
  const allowing = rules('prefix_rule(pattern=["make"])');
  expect(decide("make")).toEqual({ kind: "run", sandboxed: true, basis: POLICY_BASIS });
  expect(decide("make", { rules: allowing })).toEqual({ kind: "run", sandboxed: false, basis: BY_MAKE });
  expect(decide("make && ls", { rules: allowing })).toEqual({
    kind: "run",
    sandboxed: true,
    basis: POLICY_BASIS,
  });
  expect(decide("make > a", { rules: allowing })).toEqual({
    kind: "run",
    sandboxed: true,
    basis: POLICY_BASIS,
  });
  expect(decide("make", { sandbox: { type: "dangerFullAccess" } })).toEqual({
    kind: "run",
    sandboxed: false,
    basis: POLICY_BASIS,
  });
  expect(decide("make", { sandbox: { type: "workspaceWrite" } })).toEqual({
    kind: "run",
    sandboxed: true,
    basis: POLICY_BASIS,
  });
});

test("an approved command stays in the sandbox unless it asked to leave it", () => {
  const ask = { kind: "ask", proposedAmendment: ["make"] } as const;
  const availableDecisions = [
    "accept",
    { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["make"] } },
    "cancel",
  ];
  expect(decide("make", { policy: "untrusted" })).toEqual({
    ...ask,
    reason: null,
    availableDecisions,
    sandboxed: true,
    cause: { kind: "policy", policy: "untrusted", why: "it is not known to be a command that only reads" },
  });
  expect(decide("make", { escalated: true, justification: "May I?" })).toEqual({
    ...ask,
    reason: "May I?",
    availableDecisions,
    sandboxed: false,
    cause: { kind: "sandbox", why: "May I?" },
  });
});

test("no amendment is offered if a rule prompts", () => {
  expect(decide("make", { rules: rules('prefix_rule(pattern=["make"], decision="prompt")') })).toEqual({
    kind: "ask",
    reason: "`/bin/bash -lc make` requires approval by policy",
    proposedAmendment: null,
    availableDecisions: ["accept", "cancel"],
    sandboxed: true,
    cause: { kind: "rule", prefix: ["make"], file: null, line: 1, justification: null },
  });
});

test.each([
  "on-request",
  "untrusted",
  { granular: { sandbox_approval: true, rules: true, mcp_elicitations: true } },
])("what cannot be sandboxed here is asked about under %j", (policy) => {
  const decision = decide("make", { policy: policy as AskForApproval, sandboxAbility: unenforced });
  expect(decision).toMatchObject({
    kind: "ask",
    reason: "the sandbox cannot be enforced here: bubblewrap is not installed",
    sandboxed: false,
    cause: { kind: "sandbox", why: "the sandbox cannot be enforced here: bubblewrap is not installed" },
  });
});

test("a command is refused if it cannot be sandboxed and the policy is never", () => {
  expect(decide("make", { policy: "never", sandboxAbility: unenforced })).toEqual({
    kind: "forbid",
    cause: "policy",
    basis: POLICY_BASIS,
    reason: "command rejected: the sandbox cannot be enforced here: bubblewrap is not installed",
  });
  const granular = { granular: { sandbox_approval: false, rules: true, mcp_elicitations: true } };
  expect(decide("make", { policy: granular, sandboxAbility: unenforced })).toEqual({
    kind: "forbid",
    cause: "policy",
    basis: POLICY_BASIS,
    reason: "approval required by policy, but AskForApproval::Granular.sandbox_approval is false",
  });
  expect(decide("rm -f a", { policy: "never", sandboxAbility: unenforced })).toMatchObject({
    reason:
      "`/bin/bash -lc 'rm -f a'` rejected: rm -f style commands are not permitted. Use a safer approach",
  });
});

test.each([
  "echo 'rm -rf keep' | sh",
  "echo rm -rf keep | bash",
  "printf '%s\\n' '\"rm\" -rf keep' | sh",
  "printf '%s\\n' '\\rm -rf keep' | sh",
  "ls && echo 'rm -rf keep' | cat | env sh -e",
])("what is piped into a shell is read as what it runs: %s", (script) => {
  const sandbox = { type: "dangerFullAccess" } as const;
  expect(decide(script, { sandbox })).toMatchObject({ kind: "ask" });
  const forbidding = rules('prefix_rule(pattern=["curl"], decision="forbidden")');
  const other = script.replace(/\\?"?rm"? -rf/, "curl");
  expect(decide(other, { sandbox })).toMatchObject({ kind: "run" });
  expect(decide(other, { sandbox, rules: forbidding })).toMatchObject({ kind: "forbid" });
});

test("a pipe into a program that executes nothing does not affect the rules", () => {
  const allowing = rules('prefix_rule(pattern=["echo"])', 'prefix_rule(pattern=["grep"])');
  expect(decide("echo 'rm -rf keep' | grep rm", { policy: "untrusted", rules: allowing })).toMatchObject({
    kind: "run",
    sandboxed: false,
  });
});

test("a missing sandbox is irrelevant if none is required", () => {
  const sandbox = { type: "dangerFullAccess" } as const;
  expect(decide("make", { policy: "never", sandbox, sandboxAbility: unenforced })).toEqual({
    kind: "run",
    sandboxed: false,
    basis: POLICY_BASIS,
  });
  const allowing = rules('prefix_rule(pattern=["make"])');
  expect(decide("make", { policy: "never", rules: allowing, sandboxAbility: unenforced })).toEqual({
    kind: "run",
    sandboxed: false,
    basis: BY_MAKE,
  });
});

test("read-only commands run without a question under untrusted only if they are trusted", () => {
  const trusting = { policy: "untrusted", trustsReadOnlyCommands: true } as const;
  expect(decide("ls | wc -l", trusting)).toEqual({ kind: "run", sandboxed: true, basis: POLICY_BASIS });
  expect(decide("ls > a", trusting)).toMatchObject({ kind: "ask" });
  expect(decide("ls", { ...trusting, escalated: true })).toMatchObject({ kind: "ask" });
  expect(decide("ls", { policy: "untrusted" })).toMatchObject({ kind: "ask" });
  expect(decide("ls", { ...trusting, sandboxAbility: unenforced })).toMatchObject({
    kind: "ask",
    reason: "the sandbox cannot be enforced here: bubblewrap is not installed",
  });
  expect(decide("ls && make", trusting)).toMatchObject({ kind: "ask", proposedAmendment: ["make"] });
});

test("a session grant applies only to the same folder and mode", () => {
  const sessionGrants = new Set([commandGrant(createCommandReader(grammar), request("make it"))]);
  const again = (changes: Partial<CommandRequest>) =>
    decide("make it", { policy: "untrusted", sessionGrants, ...changes }).kind;
  expect([
    again({}),
    again({ argv: ["/bin/bash", "-c", "make  it"] }),
    again({ argv: ["/bin/bash", "-c", "make it too"] }),
    again({ argv: ["/bin/sh", "-lc", "make it"] }),
    again({ cwd: "/elsewhere" }),
    again({ tty: true }),
    again({ escalated: true }),
  ]).toEqual(["run", "run", "ask", "ask", "ask", "ask", "ask"]);
});

test("a session grant does not override a forbidding rule", () => {
  const forbidding = rules('prefix_rule(pattern=["make"], decision="forbidden")');
  const sessionGrants = new Set([commandGrant(createCommandReader(grammar), request("make it"))]);
  expect(decide("make it", { rules: forbidding, sessionGrants })).toMatchObject({ kind: "forbid" });
});

test("an unknown shell has to be allowed on its own", () => {
  const argv = ["/tmp/bash", "-c", "make"];
  const allowing = rules('prefix_rule(pattern=["make"])');
  const forbidding = rules('prefix_rule(pattern=["make"], decision="forbidden")');
  expect(decide("", { argv, policy: "untrusted", rules: allowing })).toMatchObject({
    kind: "ask",
    proposedAmendment: ["/tmp/bash"],
  });
  expect(decide("", { argv, rules: allowing })).toEqual({
    kind: "run",
    sandboxed: true,
    basis: POLICY_BASIS,
  });
  expect(decide("", { argv, rules: forbidding })).toEqual({
    kind: "forbid",
    cause: "policy",
    basis: BY_MAKE,
    reason: "`/tmp/bash` rejected: policy forbids commands starting with `make`",
  });
  expect(decide("", { argv, shell: "/tmp/bash", rules: allowing })).toEqual({
    kind: "run",
    sandboxed: false,
    basis: BY_MAKE,
  });
});

test("the requested prefix is offered if it is specific and allows the whole call", () => {
  const offered = (script: string, wantedPrefix: string[]) => {
    const decision = decide(script, { policy: "untrusted", wantedPrefix });
    return decision.kind === "ask" ? decision.proposedAmendment : decision.kind;
  };
  expect([
    offered("git pull origin", ["git", "pull"]),
    offered("git pull origin", ["git"]),
    offered("git pull origin", []),
    offered("git pull origin", ["hg"]),
    offered("git pull && make", ["git", "pull"]),
    offered("/usr/bin/cargo build", ["cargo", "build"]),
  ]).toEqual([
    ["git", "pull"],
    ["git", "pull", "origin"],
    ["git", "pull", "origin"],
    ["git", "pull", "origin"],
    ["git", "pull"],
    ["cargo", "build"],
  ]);
});

test("an empty script is evaluated as a shell call", () => {
  expect(decide("  ", { policy: "untrusted" })).toMatchObject({
    proposedAmendment: ["/bin/bash", "-lc", "  "],
  });
});

test.each([
  "git push 2>&1",
  "git push > log",
  "A=1 git push",
  "(git push)",
  "git push &",
  "git push $REMOTE",
  "if true; then git push; fi",
  "ls $(git push)",
  "'git' push",
  "git push <<E\nE\n",
  "bash -c 'git push'",
  "env A=1 git push",
  "timeout 5 git push",
])(
  "what a rule forbids or asks about is found in %j, and nothing around it is allowed by a rule",
  (script) => {
    const full = { type: "dangerFullAccess" } as const;
    const under = (decision: string) =>
      decide(script, {
        sandbox: full,
        rules: rules(`prefix_rule(pattern=["git", "push"], decision="${decision}")`),
      });
    expect(under("forbidden")).toMatchObject({
      kind: "forbid",
      basis: { kind: "rule", prefix: ["git", "push"] },
    });
    expect(under("prompt")).toMatchObject({ kind: "ask", proposedAmendment: null });
    expect(under("allow")).toMatchObject({ kind: "run", basis: POLICY_BASIS });
  },
);

test("a hijackable command is allowed by a rule, but stays in its sandbox", () => {
  const held = { rules: rules('prefix_rule(pattern=["git"])'), canBeHijacked: () => true };
  const basis = { kind: "rule", prefix: ["git"], file: null };
  expect(decide("git status", held)).toEqual({ kind: "run", sandboxed: true, basis });
  expect(decide("git status", { ...held, policy: "untrusted" })).toEqual({
    kind: "run",
    sandboxed: true,
    basis,
  });
  expect(decide("git status", { ...held, escalated: true })).toMatchObject({
    kind: "ask",
    reason: expect.stringContaining("files of the workspace could decide"),
    proposedAmendment: null,
    sandboxed: false,
  });
  expect(decide("git status", { ...held, sandboxAbility: unenforced })).toMatchObject({ kind: "ask" });
  expect(decide("git status", { ...held, policy: "never", sandboxAbility: unenforced })).toMatchObject({
    kind: "forbid",
  });
  expect(decide("git status", { ...held, sandbox: { type: "dangerFullAccess" } })).toMatchObject({
    kind: "run",
    sandboxed: false,
  });
});

const ASKS_TO_RETRY = { granular: { sandbox_approval: true, rules: true, mcp_elicitations: true } };
const stopped = request("make it", { policy: ASKS_TO_RETRY, trustsReadOnlyCommands: true });

test("an approved command is retried without its sandbox", () => {
  expect(decideWithoutSandbox(grammar, { ...stopped, policy: "untrusted" }, true)).toEqual({
    kind: "run",
    sandboxed: false,
    basis: POLICY_BASIS,
  });
});

test("an unapproved command is asked about", () => {
  const availableDecisions = [
    "accept",
    { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["make", "it"] } },
    "cancel",
  ];
  for (const policy of [ASKS_TO_RETRY, "untrusted"] as const) {
    expect(decideWithoutSandbox(grammar, { ...stopped, policy }, false)).toEqual({
      kind: "ask",
      reason: "command failed; retry without sandbox?",
      proposedAmendment: ["make", "it"],
      availableDecisions,
      sandboxed: false,
      cause: { kind: "sandbox", why: "the sandbox stopped it, and it would run again without one" },
    });
  }
});

test("a command that only reads is no exception", () => {
  const argv = ["/bin/bash", "-lc", "cat a"];
  const decision = decideWithoutSandbox(grammar, { ...stopped, argv, policy: "untrusted" }, false);
  expect(decision.kind).toBe("ask");
});

test("a session grant applies, and a forbidding rule as well", () => {
  const sessionGrants = new Set([
    commandGrant(createCommandReader(grammar), { ...stopped, escalated: true }),
  ]);
  expect(decideWithoutSandbox(grammar, { ...stopped, sessionGrants }, false)).toEqual({
    kind: "run",
    sandboxed: false,
    basis: { kind: "sessionGrant" },
  });
  const { rules } = parseRules('prefix_rule(pattern=["make"], decision="forbidden")');
  expect(decideWithoutSandbox(grammar, { ...stopped, rules }, false).kind).toBe("forbid");
});

test.each([
  "never" as const,
  "on-request" as const,
  { granular: { sandbox_approval: false, rules: true, mcp_elicitations: true } },
])("under %j nothing leaves its sandbox", (policy) => {
  for (const wasApproved of [true, false]) {
    expect(decideWithoutSandbox(grammar, { ...stopped, policy }, wasApproved).kind).toBe("forbid");
  }
});
