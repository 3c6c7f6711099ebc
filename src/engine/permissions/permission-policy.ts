/** Decides on requests by the settings of a thread, its rules and earlier grants. It asks no questions. */
import type { Awaitable } from "../../base/awaitable.ts";
import type { Environment } from "../../base/environment.ts";
import { commandGrant, decideRetry, fileGrant, isConfined, mcpGrant } from "../../policy/approval-policy.ts";
import { createHijackCheck } from "../../policy/commands/can-be-hijacked.ts";
import { createCommandReader } from "../../policy/commands/command-reader.ts";
import { type CommandDecision, decideCommand, decideWithoutSandbox } from "../../policy/decide-command.ts";
import {
  boundsOfPatches,
  decideFileChange,
  type FileChangeDecision,
} from "../../policy/decide-file-change.ts";
import { decideMcpCall, type McpCallDecision } from "../../policy/decide-mcp-call.ts";
import type { RuleBook } from "../../policy/rules/rule-book.ts";
import { createGrammarUse } from "../../policy/shell/grammar-use.ts";
import type { ShellGrammar } from "../../policy/shell/shell-grammar.ts";
import type { AskForApproval, PermissionGrantScope, SandboxPolicy } from "../../protocol/generated/types.ts";
import type { Guard } from "../../sandbox/guard.ts";
import type { Sandbox, SandboxAbility } from "../../sandbox/sandbox.ts";
import type { SandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import type { AdditionalPermissions, CommandSubject, McpCallSubject } from "../../tools/permission.ts";
import type { PermissionGrants } from "../../tools/permissions/permission-grants.ts";
import { type ThreadSettings, workspaceRootOf } from "../state/settings.ts";

export interface PermissionPolicy {
  /** Whether a command that the sandbox blocked may be requested again, to run without the sandbox. */
  readonly allowsRetries: boolean;
  command(subject: CommandSubject): Promise<CommandDecision>;
  /** Paths are absolute, with links resolved. */
  fileChange(paths: readonly string[]): FileChangeDecision;
  mcpCall(subject: McpCallSubject): McpCallDecision;
  /** Whether clients may be asked for permissions beyond the sandbox. */
  readonly mayAskForAdditional: boolean;
  /** Whether clients may be asked about an allowed request, because a hook wants it. */
  readonly mayAsk: boolean;
  /** Allows the same command for the rest of the session. */
  grantCommand(subject: CommandSubject): Promise<void>;
  /** Stores a rule that allows commands with this prefix, in this and later threads. */
  allowPrefix(prefix: readonly string[]): Promise<void>;
  grantFiles(paths: readonly string[]): void;
  /** `always` also applies to later threads. */
  grantMcpTool(subject: McpCallSubject, lasting: "session" | "always"): Promise<void>;
  grantAdditional(turnId: string, scope: PermissionGrantScope, granted: AdditionalPermissions): void;
}

export interface PolicyOptions {
  readonly env: Environment;
  readonly grammar: () => Promise<ShellGrammar>;
  readonly sandbox: () => Promise<Sandbox>;
  readonly places: SandboxWritablePaths;
  readonly guard: Guard;
  readonly rules: () => Promise<RuleBook>;
  /** The grants of the session; they outlive a change of settings. */
  readonly grants: Set<string>;
  /** Granted permissions beyond the sandbox. */
  readonly granted: PermissionGrants;
  /** Whether read-only commands run without a question under the policy `untrusted`. */
  readonly trustsReadOnlyCommands: boolean;
  /** Stores in the configuration that a tool of an MCP server needs no approval. */
  readonly allowMcpTool: (server: string, tool: string) => Promise<void>;
}

export function createPermissionPolicy(settings: ThreadSettings, options: PolicyOptions): PermissionPolicy {
  const { env, grants, granted, trustsReadOnlyCommands, guard, places } = options;
  const { approvalPolicy, sandbox } = settings;
  const cwd = workspaceRootOf(settings);
  const bounds = () => boundsOfPatches({ sandbox, cwd, env, guard });
  const canBeHijacked = createHijackCheck({ env, bounds, isSandboxWritable: places.contains });
  const withGrammar = createGrammarUse(options.grammar);
  return {
    allowsRetries: decideRetry(approvalPolicy, false).kind !== "forbid",
    async command(subject) {
      const [sandboxAbility, book] = await Promise.all([abilityFor(sandbox, options), options.rules()]);
      const { argv, tty, shell, escalated, wantedPrefix, afterDenial } = subject;
      const command = {
        argv,
        cwd: subject.cwd,
        tty,
        shell,
        policy: approvalPolicy,
        sandbox,
        sandboxAbility,
        escalated,
        justification: subject.reason,
        wantedPrefix,
        rules: book.rules(),
        sessionGrants: grants,
        trustsReadOnlyCommands,
        canBeHijacked,
      };
      return withGrammar((grammar) =>
        afterDenial === null
          ? decideCommand(grammar, command)
          : decideWithoutSandbox(grammar, command, afterDenial === "approved"),
      );
    },
    fileChange(paths) {
      const outcome = bounds();
      // Patches are written by the server for the model, so their paths count as writable by sandboxed commands.
      if (outcome.kind === "bounded") places.note(outcome.bounds);
      return decideFileChange({ paths, policy: approvalPolicy, bounds: outcome, sessionGrants: grants });
    },
    mcpCall: ({ server, tool, mode }) =>
      decideMcpCall({
        server,
        tool: tool.name,
        mode,
        annotations: tool.annotations,
        approvalPolicy,
        sandbox,
        sessionGrants: grants,
      }),
    mayAskForAdditional: mayAskForAdditional(approvalPolicy),
    mayAsk: approvalPolicy !== "never",
    async grantCommand(subject) {
      const escalated = subject.escalated || subject.afterDenial !== null;
      grants.add(
        await withGrammar((grammar) => commandGrant(createCommandReader(grammar), { ...subject, escalated })),
      );
    },
    allowPrefix: async (prefix) => (await options.rules()).allow(prefix),
    grantFiles(paths) {
      for (const path of paths) grants.add(fileGrant(path));
    },
    async grantMcpTool({ server, tool }, lasting) {
      grants.add(mcpGrant(server, tool.name));
      if (lasting === "always") await options.allowMcpTool(server, tool.name);
    },
    grantAdditional: (turnId, scope, { write, network }) =>
      granted.grant(turnId, scope, { writableRoots: write, network }),
  };
}

function mayAskForAdditional(policy: AskForApproval): boolean {
  return typeof policy === "object" ? policy.granular.request_permissions === true : policy !== "never";
}

const NOT_CONFINED: SandboxAbility = { kind: "none", reason: "the thread's commands are not confined" };

/** Detecting the sandbox starts a process, so that threads without bounds do not wait for it. */
function abilityFor(policy: SandboxPolicy, options: PolicyOptions): Awaitable<SandboxAbility> {
  return isConfined(policy) ? options.sandbox().then(({ ability }) => ability) : NOT_CONFINED;
}
