/** The tool that runs a command in a shell and leaves it running when it takes longer than the model wants to wait. */
import { resolve } from "node:path";
import { osErrorText } from "../../base/os-error.ts";
import { denialHint } from "../../sandbox/denial-hint.ts";
import {
  count,
  decodeArguments,
  flag,
  list,
  maybe,
  type ShapeValue,
  struct,
  text,
  words,
} from "../arguments/decode-arguments.ts";
import type { CommandSubject, PermissionAnswer } from "../permission.ts";
import { HISTORY_LOST, type Tool, type ToolCall, type ToolContext, type ToolResult } from "../tool.ts";
import type { TerminalShelf } from "./background-terminals.ts";
import { beginCommandItem } from "./command-item.ts";
import { confine, isBounded } from "./confine.ts";
import { execCommandSpec } from "./exec-command-spec.ts";
import type { ExecDeps, ExecSettings } from "./exec-settings.ts";
import { holdItems } from "./hold-items.ts";
import type { LoginEnvironments } from "./login-environment.ts";
import { planRun } from "./run-plan.ts";
import { findNamedShell, type Shell, shellArguments } from "./shell.ts";
import { refuse, tellModel } from "./tell-model.ts";
import { Terminal } from "./terminal.ts";

const DEFAULT_YIELD_MS = 10_000;
const MIN_YIELD_MS = 250;
const MAX_YIELD_MS = 30_000;
/** A command that fails later than this has done too much to be run once more. */
const EARLY_END_MS = 300;

export interface ExecParts {
  readonly deps: ExecDeps;
  readonly shelf: TerminalShelf;
  readonly logins: LoginEnvironments;
  /** The shell of commands that ask for none. */
  readonly defaultShell: () => Shell;
}

export function createExecCommand(parts: ExecParts): Tool {
  return {
    name: "exec_command",
    spec: execCommandSpec,
    parallel: true,
    run: (call, context) => execCommand(parts, call, context),
  };
}

async function execCommand(parts: ExecParts, call: ToolCall, context: ToolContext): Promise<ToolResult> {
  const request = readRequest(parts, call, context);
  if ("refusal" in request) return refuse(request.refusal);
  const { argv, cwd } = request;
  const taken = await parts.deps.intercept?.(argv, cwd, call, context);
  if (taken !== undefined && taken !== null) return taken;
  const subject: CommandSubject = {
    kind: "command",
    item: beginCommandItem({ id: call.callId, argv, cwd, source: "agent", processId: null }),
    argv,
    cwd,
    tty: request.tty,
    shell: parts.defaultShell().path,
    reason: request.justification,
    escalated: request.escalated,
    wantedPrefix: request.wantedPrefix,
    afterDenial: null,
  };
  const run = (answer: PermissionAnswer<"command">): Promise<ToolResult> => {
    if (answer.kind === "cancelled" || context.signal.aborted)
      return Promise.resolve(refuse("aborted by user"));
    if (answer.kind === "declined") {
      const { cause, reason } = answer;
      return Promise.resolve(refuse(cause === "escalation" ? reason : createFailure(reason)));
    }
    const { sandboxed, retry } = answer;
    const again = async () => run(await context.permissions.request({ ...subject, afterDenial: retry }));
    return start(parts, { ...request, sandboxed, onStopped: retry === null ? null : again }, call, context);
  };
  return run(await context.permissions.request(subject));
}

/** A command that may run, whether it is confined, and what is done when that stops it. */
interface Cleared extends Request {
  readonly sandboxed: boolean;
  readonly onStopped: (() => Promise<ToolResult>) | null;
}

interface Request {
  readonly script: string;
  readonly shell: Shell;
  readonly login: boolean;
  /** As it is shown and approved. */
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

const ARGUMENTS = struct("ExecCommandArgs", {
  cmd: text,
  workdir: maybe(text),
  shell: maybe(text),
  login: maybe(flag),
  tty: maybe(flag),
  yield_time_ms: maybe(count),
  max_output_tokens: maybe(count),
  sandbox_permissions: maybe(words("use_default", "require_escalated", "with_additional_permissions")),
  justification: maybe(text),
  prefix_rule: maybe(list(text)),
});

function readRequest(
  { deps, defaultShell }: ExecParts,
  call: ToolCall,
  { threadId, cwd }: ToolContext,
): Request | { readonly refusal: string } {
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
  { justification, login, sandbox_permissions: permissions }: ShapeValue<typeof ARGUMENTS>,
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

async function start(
  { deps, shelf, logins }: ExecParts,
  request: Cleared,
  { callId }: ToolCall,
  context: ToolContext,
): Promise<ToolResult> {
  const { script, argv, cwd, tty, settings, onStopped } = request;
  const { threadId, signal, sandbox } = context;
  const held = onStopped === null ? null : holdItems(context.items);
  const items = held?.items ?? context.items;
  const processId = shelf.freeProcessId(threadId);
  const terminal = new Terminal({
    processId,
    threadId,
    itemId: callId,
    script,
    argv,
    cwd,
    tty,
    items,
    clock: deps.clock,
  });
  // Kept from the start, so that a turn that is interrupted leaves it among the background terminals.
  shelf.put(terminal);
  const fail = (cause: string): ToolResult => {
    shelf.remove(terminal);
    const reason = `Failed to create unified exec process: ${cause}`;
    terminal.fail(reason);
    held?.release();
    return refuse(createFailure(reason));
  };
  const policy = request.sandboxed ? sandbox : null;
  const plan = await planRun(
    { ...request, confined: isBounded(policy), threadId, callId },
    settings,
    deps,
    logins,
  );
  const confined = await confine(plan, { policy, context, deps });
  if (!confined.ok) return fail(confined.reason);
  const spec = { ...plan, argv: confined.argv, env: confined.env };
  const outcome = await deps.host.start(spec, (chunk) => terminal.receive(chunk));
  void terminal.ended.then(confined.release);
  if (outcome.kind === "failed") return fail(osErrorText(outcome.error));
  terminal.begin(outcome.process);
  endWithHistory(terminal, signal);
  if (onStopped !== null && (await isStopped(terminal, signal))) {
    shelf.remove(terminal);
    held?.discard();
    return onStopped();
  }
  held?.release();
  const startedAt = deps.clock.monotonic();
  const collected = await terminal.collect(request.yieldMs, signal);
  const wallMs = deps.clock.monotonic() - startedAt;
  if (terminal.exitCode !== null) {
    shelf.remove(terminal);
    await terminal.completed;
  }
  const budget = { maxTokens: request.maxTokens, truncation: settings.truncation };
  return tellModel({ terminal, collected, wallMs, budget, random: deps.random });
}

function endWithHistory(terminal: Terminal, signal: AbortSignal): void {
  const end = (): void => {
    if (signal.reason === HISTORY_LOST) void terminal.end();
  };
  signal.addEventListener("abort", end, { once: true });
  void terminal.ended.then(() => signal.removeEventListener("abort", end));
  if (signal.aborted) end();
}

/** Whether the sandbox has kept a command from its work, as far as that shows soon after its start. */
async function isStopped(terminal: Terminal, signal: AbortSignal): Promise<boolean> {
  return (
    (await terminal.endsWithin(EARLY_END_MS, signal)) &&
    denialHint(terminal.output, terminal.exitCode) !== null
  );
}

/** Models know this failure in exactly this form. */
function createFailure(reason: string): string {
  return `exec_command failed: CreateProcess { message: ${JSON.stringify(`Rejected(${JSON.stringify(reason)})`)} }`;
}
