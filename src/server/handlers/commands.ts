/**
 * `command/exec`: one-off commands of clients, in the sandbox that the request or the configuration names.
 * The response is sent when the command has exited.
 */
import { resolve } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { osErrorText } from "../../base/errors.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import type { ProcessHost } from "../../process/process-host.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type { CommandExecParams, SandboxPolicy } from "../../protocol/generated/types.ts";
import { missingMachine } from "../../runtime/machine/local-machine.ts";
import type { Sandbox, SandboxCommand } from "../../sandbox/sandbox.ts";
import {
  applyEnvironmentPolicy,
  DEFAULT_ENVIRONMENT_POLICY,
  type EnvironmentPolicy,
  type OwnPrograms,
  withOwnPrograms,
} from "../../tools/exec/command-environment.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { type Handlers, invalidParams, invalidRequest, unwrap } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";
import {
  type ClientProcess,
  type ClientProcessSpec,
  DEFAULT_OUTPUT_BYTES,
  DEFAULT_TIMEOUT_MS,
  startClientProcess,
} from "../machine/client-process.ts";
import type { ClientProcesses } from "../machine/client-processes.ts";
import { overrideEnvironment, readInput, readStreams, toTerminal } from "../machine/process-params.ts";

/** The configuration that applies to a command. */
export interface CommandContext {
  readonly sandbox: SandboxPolicy;
  readonly environment: EnvironmentPolicy;
  /** Why a client may not choose this policy; null if it may. */
  readonly findViolation: (policy: SandboxPolicy) => string | null;
}

export interface CommandHandlersOptions {
  readonly processes: ClientProcesses;
  readonly host: () => Promise<ProcessHost>;
  readonly programs: () => Promise<OwnPrograms | null>;
  readonly sandbox: () => Promise<Pick<Sandbox, "wrap">>;
  readonly context: (cwd: string, permissionProfile: string | null) => Promise<CommandContext>;
  readonly clock: Clock;
  readonly env: Environment;
  /** The default folder of commands; relative folders start from it. */
  readonly cwd: string;
  readonly notifier: Notifier;
}

type CommandMethod = "command/exec" | "command/exec/write" | "command/exec/terminate" | "command/exec/resize";

export function createCommandHandlers(options: CommandHandlersOptions): Handlers<CommandMethod> {
  const { processes, notifier } = options;

  async function find(connection: ClientConnection, id: string): Promise<ClientProcess> {
    const found = await processes.find(connection, id);
    if (found === null) throw invalidRequest(`no active command/exec for process id ${JSON.stringify(id)}`);
    return found;
  }

  return {
    async "command/exec"(params, { connection }) {
      unwrap(missingMachine(options.env));
      const overrides = parseOverrides(params);
      const processId = params.processId ?? null;
      const start = processes.start(connection, processId, () => launch(params, overrides, options));
      if (start.kind === "duplicate") {
        throw invalidRequest(`duplicate active command/exec process id: ${JSON.stringify(processId)}`);
      }
      if (start.kind === "full") throw invalidRequest("too many processes are running on this connection");
      const process = await start.process;
      process.begin((delta) => {
        if (processId === null) return;
        notifier.to([connection], "command/exec/outputDelta", { processId, ...delta });
      }, connection.backlog);
      const { exitCode, stdout, stderr } = await process.ended;
      return { exitCode, stdout: stdout.text, stderr: stderr.text };
    },

    async "command/exec/write"(params, { connection }) {
      const { bytes, closes } = readInput(params, "command/exec/write");
      const process = await find(connection, params.processId);
      if (!process.takesInput) throw invalidRequest("stdin streaming is not enabled for this command/exec");
      if (!process.write(bytes)) throw invalidRequest("stdin is already closed");
      if (closes) process.endInput();
      return {};
    },

    async "command/exec/terminate"({ processId }, { connection }) {
      (await find(connection, processId)).kill();
      return {};
    },

    async "command/exec/resize"({ processId, size }, { connection }) {
      const terminal = toTerminal(size, "command/exec");
      const process = await find(connection, processId);
      if (!process.hasTerminal) {
        throw invalidRequest("failed to resize PTY: process is not attached to a PTY");
      }
      process.resize(terminal);
      return {};
    },
  };
}

type Overrides = Pick<ClientProcessSpec, "terminal" | "input" | "streams" | "timeoutMs" | "maxBytes">;

/** Validates the params, and refuses combinations that contradict each other. */
function parseOverrides(params: CommandExecParams): Overrides {
  if (params.command.length === 0) throw invalidRequest("command must not be empty");
  if (isGiven(params.sandboxPolicy) && isGiven(params.permissionProfile)) {
    throw invalidRequest("`permissionProfile` cannot be combined with `sandboxPolicy`");
  }
  const streams = readStreams(params, { method: "command/exec", subject: "command/exec" });
  const limits = { timeoutMs: readTimeout(params), maxBytes: readCap(params) };
  if (!isGiven(params.processId) && (streams.streams || streams.input === "pipe")) {
    throw invalidRequest("command/exec tty or streaming requires a client-supplied processId");
  }
  return { ...streams, ...limits };
}

function readCap({ disableOutputCap = false, outputBytesCap = null }: CommandExecParams): number | null {
  if (disableOutputCap && outputBytesCap !== null) {
    throw invalidParams("command/exec cannot set both outputBytesCap and disableOutputCap");
  }
  return disableOutputCap ? null : (outputBytesCap ?? DEFAULT_OUTPUT_BYTES);
}

function readTimeout({ disableTimeout = false, timeoutMs = null }: CommandExecParams): number | null {
  if (disableTimeout && timeoutMs !== null) {
    throw invalidParams("command/exec cannot set both timeoutMs and disableTimeout");
  }
  if (timeoutMs !== null && timeoutMs < 0) {
    throw invalidParams(`command/exec timeoutMs must be non-negative, got ${timeoutMs}`);
  }
  return disableTimeout ? null : (timeoutMs ?? DEFAULT_TIMEOUT_MS);
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

async function launch(
  params: CommandExecParams,
  overrides: Overrides,
  { host, programs, clock, env, cwd, sandbox, context }: CommandHandlersOptions,
): Promise<ClientProcess> {
  const folder = resolve(cwd, params.cwd ?? ".");
  const profile = params.permissionProfile ?? null;
  const commandContext = await context(profile === null ? cwd : folder, profile);
  const own = withOwnPrograms(applyEnvironmentPolicy(env, commandContext.environment), await programs());
  const variables = overrideEnvironment(own, params.env);
  const command = {
    argv: params.command,
    cwd: folder,
    env: {
      ...applyEnvironmentPolicy(variables, DEFAULT_ENVIRONMENT_POLICY),
      CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS: "1",
    },
  };
  const violation = isGiven(params.sandboxPolicy) ? commandContext.findViolation(params.sandboxPolicy) : null;
  if (violation !== null) throw invalidRequest(`invalid sandbox policy: ${violation}`);
  const policy = params.sandboxPolicy ?? commandContext.sandbox;
  const policyCwd = profile === null ? cwd : folder;
  const { release, ...confined } = await confine(command, policy, policyCwd, sandbox);
  const spec = { ...command, ...confined, ...overrides };
  const outcome = await startClientProcess({ host: await host(), clock }, spec);
  if (outcome.kind === "started") {
    void outcome.process.ended.then(release);
    return outcome.process;
  }
  release();
  throw new RpcError(errorCodes.internalError, `failed to spawn command: ${osErrorText(outcome.error)}`);
}

/**
 * Wraps a command in its sandbox. A policy that this machine cannot enforce refuses the command; one without
 * restrictions needs no sandbox.
 */
async function confine(
  command: SandboxCommand,
  policy: SandboxPolicy,
  policyCwd: string,
  sandbox: CommandHandlersOptions["sandbox"],
) {
  if (policy.type === "dangerFullAccess" || policy.type === "externalSandbox") {
    return { argv: command.argv, env: command.env, release: () => {} };
  }
  const wrapped = (await sandbox()).wrap(command, policy, { policyCwd, ownSession: true });
  if (!wrapped.ok) throw new RpcError(errorCodes.internalError, `exec failed: ${wrapped.reason}`);
  return { argv: wrapped.argv, env: wrapped.env, release: wrapped.release };
}
