/**
 * The tool `exec_command`: runs a command in a shell, and leaves it in the background after the requested
 * wait.
 */
import { osErrorText } from "../../base/errors.ts";
import { denialHint } from "../../sandbox/sandbox.ts";
import type { CommandItem, CommandSubject, PermissionAnswer } from "../permission.ts";
import {
  HISTORY_LOST,
  refuseCall,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
} from "../tool.ts";
import type { TerminalRegistry } from "./background-terminals.ts";
import { beginCommandItem, bufferItems } from "./command-item.ts";
import { commandResult } from "./command-result.ts";
import { execCommandSpec } from "./exec-command-spec.ts";
import {
  describeCommand,
  type ExecRequest,
  type RequestParts,
  readRequest,
  unwrapCommand,
  withCommand,
} from "./exec-request.ts";
import type { LoginEnvironments } from "./login-environment.ts";
import { confineCommand, isBounded, planRun } from "./run-plan.ts";
import { Terminal } from "./terminal.ts";

/** A command that fails later than this may have had effects, so that it is not retried. */
const EARLY_END_MS = 300;

export interface ExecParts extends RequestParts {
  readonly terminals: TerminalRegistry;
  readonly logins: LoginEnvironments;
}

export function createExecCommand(parts: ExecParts): Tool {
  return {
    name: "exec_command",
    spec: execCommandSpec,
    parallel: true,
    unwrapCall: (call, context) => unwrapCommand(parts, call, context),
    describeCall: describeCommand,
    withInput: withCommand,
    run: (call, context) => execCommand(parts, call, context),
  };
}

async function execCommand(parts: ExecParts, call: ToolCall, context: ToolContext): Promise<ToolResult> {
  const request = readRequest(parts, call, context);
  if ("refusal" in request) return refuseCall(request.refusal);
  const { argv, cwd } = request;
  const item = beginCommandItem({ id: call.callId, argv, cwd, source: "agent", processId: null });
  const subject: CommandSubject = {
    kind: "command",
    call: describeCommand(call),
    item,
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
      return Promise.resolve(refuseCall("aborted by user"));
    if (answer.kind === "declined") {
      const { cause, reason } = answer;
      return Promise.resolve(refuseCall(cause === "escalation" ? reason : createFailure(reason)));
    }
    const { sandboxed, retry } = answer;
    const again = async () => run(await context.permissions.request({ ...subject, afterDenial: retry }));
    const onStopped = retry === null ? null : again;
    return start(parts, { ...request, item, sandboxed, onStopped }, context);
  };
  return run(await context.permissions.request(subject));
}

/** A permitted command, with its sandbox state and what happens if the sandbox stops it. */
interface Cleared extends ExecRequest {
  readonly item: CommandItem;
  readonly sandboxed: boolean;
  readonly onStopped: (() => Promise<ToolResult>) | null;
}

async function start(
  { deps, terminals, logins }: ExecParts,
  request: Cleared,
  context: ToolContext,
): Promise<ToolResult> {
  const { item, script, tty, settings, onStopped } = request;
  const { threadId, signal, sandbox } = context;
  const held = onStopped === null ? null : bufferItems(context.items);
  const items = held?.items ?? context.items;
  const processId = terminals.freeProcessId(threadId);
  const terminal = new Terminal({
    processId,
    threadId,
    item,
    script,
    tty,
    items,
    clock: deps.clock,
  });
  // Registered before the start completes, so that an interrupted turn leaves the command among the
  // background terminals.
  terminals.put(terminal);
  const fail = (cause: string): ToolResult => {
    terminals.remove(terminal);
    const reason = `Failed to create unified exec process: ${cause}`;
    terminal.fail(reason);
    held?.release();
    return refuseCall(createFailure(reason));
  };
  const policy = request.sandboxed ? sandbox : null;
  const plan = await planRun(
    { ...request, confined: isBounded(policy), threadId, callId: item.id },
    settings,
    deps,
    logins,
  );
  const confined = await confineCommand(plan, { policy, context, deps });
  if (!confined.ok) return fail(confined.reason);
  const spec = { ...plan, argv: confined.argv, env: confined.env };
  const outcome = await deps.host.start(spec, (chunk) => terminal.receive(chunk));
  void terminal.ended.then(confined.release);
  if (outcome.kind === "failed") return fail(osErrorText(outcome.error));
  terminal.begin(outcome.process);
  endWithHistory(terminal, signal);
  if (onStopped !== null && (await isStopped(terminal, signal))) {
    terminals.remove(terminal);
    held?.discard();
    return onStopped();
  }
  held?.release();
  const startedAt = deps.clock.monotonic();
  const collected = await terminal.collect(request.yieldMs, signal);
  const wallMs = deps.clock.monotonic() - startedAt;
  if (terminal.exitCode !== null) {
    terminals.remove(terminal);
    await terminal.completed;
  }
  const budget = { maxTokens: request.maxTokens, truncation: settings.truncation };
  return commandResult({ terminal, collected, wallMs, budget, random: deps.random });
}

function endWithHistory(terminal: Terminal, signal: AbortSignal): void {
  const end = (): void => {
    if (signal.reason === HISTORY_LOST) void terminal.end();
  };
  signal.addEventListener("abort", end, { once: true });
  void terminal.ended.then(() => signal.removeEventListener("abort", end));
  if (signal.aborted) end();
}

/** Whether the sandbox has stopped the command, as far as an early failure shows. */
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
