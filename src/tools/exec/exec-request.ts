/**
 * Parses the arguments of an `exec_command` call, describes the call, and unwraps patches sent as commands.
 */
import { resolve } from "node:path";
import { isObject } from "../../base/json-object.ts";
import { unwrapShellPatch } from "../apply-patch/apply-patch-tool.ts";
import {
  type ArgumentValue,
  choice,
  count,
  decodeArguments,
  flag,
  list,
  maybe,
  struct,
  text,
} from "../arguments/decode-arguments.ts";
import {
  type CallDescription,
  commandOf,
  describeFunctionCall,
  type ToolCall,
  type ToolContext,
  type UnwrappedCall,
} from "../tool.ts";
import type { ExecDeps, ExecSettings } from "./exec-settings.ts";
import { findNamedShell, type Shell, shellArguments } from "./shell.ts";

const DEFAULT_YIELD_MS = 10_000;
/** Limits of how long a call waits for output. */
export const MIN_YIELD_MS = 250;
export const MAX_YIELD_MS = 30_000;

export interface ExecRequest {
  readonly script: string;
  readonly shell: Shell;
  readonly login: boolean;
  /** The command as shown and approved. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly tty: boolean;
  readonly yieldMs: number;
  readonly maxTokens: number | null;
  readonly justification: string | null;
  readonly escalated: boolean;
  readonly wantedPrefix: readonly string[] | null;
  readonly settings: ExecSettings;
}

/** Dependencies of request parsing. */
export interface RequestParts {
  readonly deps: ExecDeps;
  /** The shell for commands that name none. */
  readonly defaultShell: () => Shell;
}

const ARGUMENTS = struct("ExecCommandArgs", {
  cmd: text,
  workdir: maybe(text),
  shell: maybe(text),
  login: maybe(flag),
  tty: maybe(flag),
  yield_time_ms: maybe(count),
  max_output_tokens: maybe(count),
  sandbox_permissions: maybe(choice("use_default", "require_escalated", "with_additional_permissions")),
  justification: maybe(text),
  prefix_rule: maybe(list(text)),
});

export function readRequest(
  { deps, defaultShell }: RequestParts,
  call: ToolCall,
  { threadId, cwd }: ToolContext,
): ExecRequest | { readonly refusal: string } {
  const decoded = decodeArguments(call.input, ARGUMENTS);
  if (decoded.kind === "wrong") return { refusal: decoded.message };
  const given = decoded.value;
  const settings = deps.settingsOf(threadId);
  const refusal = refusalOf(given, settings);
  if (refusal !== null) return { refusal };
  const shell = given.shell === null ? defaultShell() : findNamedShell(given.shell, deps.shells);
  const login = given.login ?? settings.allowLoginShell;
  return {
    script: given.cmd,
    shell,
    login,
    argv: shellArguments(shell, given.cmd, login),
    cwd: resolve(cwd, given.workdir ?? ""),
    tty: given.tty ?? false,
    yieldMs: Math.min(MAX_YIELD_MS, Math.max(MIN_YIELD_MS, given.yield_time_ms ?? DEFAULT_YIELD_MS)),
    maxTokens: given.max_output_tokens,
    justification: given.justification,
    escalated: given.sandbox_permissions === "require_escalated",
    wantedPrefix: given.prefix_rule,
    settings,
  };
}

function refusalOf(
  { justification, login, sandbox_permissions: permissions }: ArgumentValue<typeof ARGUMENTS>,
  { allowLoginShell }: ExecSettings,
): string | null {
  if (justification !== null && permissions === null) {
    return '`justification` requires an explicit `sandbox_permissions`; use `sandbox_permissions: "require_escalated"` for unsandboxed execution, or omit `justification`.';
  }
  if (login === true && !allowLoginShell) {
    return "login shell is disabled by config; omit `login` or set it to false.";
  }
  return null;
}

/** Commands have one name for hooks, whatever the tool is called. */
export function describeCommand(call: ToolCall): CallDescription {
  const { input } = describeFunctionCall(call);
  const cmd = isObject(input) ? input["cmd"] : undefined;
  return {
    kind: "command",
    name: "Bash",
    aliases: [],
    input: typeof cmd === "string" ? { command: cmd } : input,
  };
}

/** The same call with another command; all other arguments are unchanged. */
export function withCommand(call: ToolCall, input: unknown): ToolCall | null {
  const command = commandOf(input);
  const { input: before } = describeFunctionCall(call);
  return command === null || !isObject(before)
    ? null
    : { ...call, input: JSON.stringify({ ...before, cmd: command }) };
}

/** Matches every command that could contain a patch. */
const PATCH_MARK = /apply_?patch|\*\*\* Begin Patch/;

/** A patch that the model sends through the shell is handled as a patch. */
export function unwrapCommand(
  parts: RequestParts,
  call: ToolCall,
  context: ToolContext,
): UnwrappedCall | null {
  const { input } = describeCommand(call);
  if (!isObject(input) || !PATCH_MARK.test(String(input["command"]))) return null;
  const request = readRequest(parts, call, context);
  if ("refusal" in request) return null;
  return unwrapShellPatch(request.argv, request.cwd, call, parts.deps.patches);
}
