import { expect, test } from "vitest";
import { NO_RULES } from "../../policy/rules/rule-set.ts";
import { openShellGrammar, type ShellGrammar } from "../../policy/shell/shell-grammar.ts";
import { NO_GUARD } from "../../sandbox/guard.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { createPermissionGrants } from "../../tools/permissions/permission-grants.ts";
import type { ThreadSettings } from "../state/settings.ts";
import { createPermissionPolicy } from "./permission-policy.ts";
import { command } from "./permissions.fixture.ts";

const settings: ThreadSettings = {
  model: "m",
  modelProvider: "p",
  cwd: "/project",
  machineCwd: null,
  workspaceRoots: null,
  hasMachine: true,
  approvalPolicy: "untrusted",
  approvalsReviewer: "user",
  sandbox: { type: "readOnly" },
  permissionProfile: null,
  effort: null,
  summary: null,
  serviceTier: null,
  personality: null,
  mode: "default",
  modeInstructions: null,
  baseInstructions: null,
  developerInstructions: null,
};

const enforced = async (): Promise<Sandbox> => ({
  ability: { kind: "enforced", by: "bubblewrap" },
  wrap: () => ({ ok: false, reason: "nothing is run" }),
});

function policyWith(grammar: () => Promise<ShellGrammar>, sandbox = enforced, changed = settings) {
  const grants = new Set<string>();
  const policy = createPermissionPolicy(changed, {
    env: {},
    grammar,
    sandbox,
    places: { note() {}, contains: () => false, list: () => [], version: () => "" },
    guard: NO_GUARD,
    rules: async () => ({ rules: () => NO_RULES, faults: [], allow: async () => {} }),
    grants,
    granted: createPermissionGrants(),
    trustsReadOnlyCommands: true,
    allowMcpTool: async () => {},
  });
  return { policy, grants };
}

const script = (text: string) => ({ ...command, argv: ["/bin/bash", "-lc", text] });
const never = () => new Promise<ShellGrammar>(() => {});
const broken = () => Promise.reject<ShellGrammar>(new Error("no grammar"));

test.each([never, broken])("a plain command is decided and granted without the grammar", async (grammar) => {
  const { policy, grants } = policyWith(grammar);
  expect(await policy.command(script("ls -la src | head -n 3"))).toMatchObject({ kind: "run" });
  expect(await policy.command(script("ls && make 'a b'"))).toMatchObject({ kind: "ask" });
  await policy.grantCommand(script("make it"));
  expect(grants.size).toBe(1);
  expect(await policy.command(script("make it"))).toMatchObject({
    kind: "run",
    basis: { kind: "sessionGrant" },
  });
});

test("no other command is decided without the grammar", async () => {
  const { policy, grants } = policyWith(broken);
  for (const text of ["ls > /dev/null", "ls\npwd", "(ls)", "bash -c 'ls > /dev/null'"])
    await expect(policy.command(script(text))).rejects.toThrow("no grammar");
  await expect(policy.grantCommand(script("(make)"))).rejects.toThrow("no grammar");
  expect(grants.size).toBe(0);
});

test("the grammar is opened once for all commands that need it", async () => {
  let opened = 0;
  const { policy } = policyWith(async () => {
    opened += 1;
    return openShellGrammar();
  });
  await policy.command(script("ls"));
  expect(opened).toBe(0);
  expect(await policy.command(script("ls 2>/dev/null"))).toMatchObject({ kind: "run" });
  expect(await policy.command(script("ls > a"))).toMatchObject({ kind: "ask" });
  expect(opened).toBe(1);
});

test("only a thread with bounds detects the sandbox", async () => {
  const unavailable = () => Promise.reject<Sandbox>(new Error("no sandbox"));
  const free = { ...settings, sandbox: { type: "dangerFullAccess" }, approvalPolicy: "never" } as const;
  expect(await policyWith(never, unavailable, free).policy.command(script("make"))).toMatchObject({
    kind: "run",
    sandboxed: false,
  });
  await expect(policyWith(never, unavailable).policy.command(script("make"))).rejects.toThrow("no sandbox");
});
