/**
 * `process/*`: processes outside of any sandbox. The response is sent at once; the exit is a notification.
 */
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { osErrorText } from "../../base/errors.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import type { ProcessHost } from "../../process/process-host.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type { ProcessExitedNotification, ProcessSpawnParams } from "../../protocol/generated/types.ts";
import { missingMachine } from "../../runtime/machine/local-machine.ts";
import {
  applyEnvironmentPolicy,
  DEFAULT_ENVIRONMENT_POLICY,
  type OwnPrograms,
  withOwnPrograms,
} from "../../tools/exec/command-environment.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { type Handlers, invalidParams, invalidRequest, unwrap } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";
import {
  type ClientProcess,
  type ClientProcessEnd,
  type ClientProcessSpec,
  DEFAULT_OUTPUT_BYTES,
  DEFAULT_TIMEOUT_MS,
  startClientProcess,
} from "../machine/client-process.ts";
import type { ClientProcesses } from "../machine/client-processes.ts";
import { overrideEnvironment, readInput, readStreams, toTerminal } from "../machine/process-params.ts";

export interface ProcessHandlersOptions {
  readonly processes: ClientProcesses;
  readonly host: () => Promise<ProcessHost>;
  readonly programs: () => Promise<OwnPrograms | null>;
  readonly clock: Clock;
  readonly env: Environment;
  readonly notifier: Notifier;
}

type ProcessMethod = "process/spawn" | "process/writeStdin" | "process/kill" | "process/resizePty";

export function createProcessHandlers(options: ProcessHandlersOptions): Handlers<ProcessMethod> {
  const { processes, host, programs, clock, env, notifier } = options;

  async function find(connection: ClientConnection, handle: string): Promise<ClientProcess> {
    const found = await processes.find(connection, handle);
    if (found === null)
      throw invalidRequest(`no active process for process handle ${JSON.stringify(handle)}`);
    return found;
  }

  return {
    async "process/spawn"(params, { connection, afterResponse }) {
      unwrap(missingMachine(env));
      const spec = toSpec(params);
      const { processHandle } = params;
      const start = processes.start(connection, processHandle, async () => {
        const own = overrideEnvironment(withOwnPrograms(env, await programs()), params.env);
        const variables = applyEnvironmentPolicy(own, DEFAULT_ENVIRONMENT_POLICY);
        const outcome = await startClientProcess({ host: await host(), clock }, { ...spec, env: variables });
        if (outcome.kind === "started") return outcome.process;
        throw new RpcError(
          errorCodes.internalError,
          `failed to spawn process: ${osErrorText(outcome.error)}`,
        );
      });
      if (start.kind === "duplicate") {
        throw invalidRequest(`duplicate active process handle: ${JSON.stringify(processHandle)}`);
      }
      if (start.kind === "full") throw invalidRequest("too many processes are running on this connection");
      const process = await start.process;
      afterResponse(() => {
        process.begin(
          (delta) => notifier.to([connection], "process/outputDelta", { processHandle, ...delta }),
          connection.backlog,
        );
        void process.ended.then((end) =>
          notifier.to([connection], "process/exited", toExited(processHandle, end)),
        );
      });
      return {};
    },

    async "process/writeStdin"(params, { connection }) {
      const { bytes, closes } = readInput(params, "process/writeStdin");
      const process = await find(connection, params.processHandle);
      if (!process.takesInput) throw invalidRequest("stdin streaming is not enabled for this process");
      if (!process.write(bytes)) throw invalidRequest("stdin is already closed");
      if (closes) process.endInput();
      return {};
    },

    async "process/kill"({ processHandle }, { connection }) {
      (await find(connection, processHandle)).kill();
      return {};
    },

    async "process/resizePty"({ processHandle, size }, { connection }) {
      const terminal = toTerminal(size, "process");
      const process = await find(connection, processHandle);
      if (!process.hasTerminal) {
        throw invalidRequest("failed to resize PTY: process is not attached to a PTY");
      }
      process.resize(terminal);
      return {};
    },
  };
}

function toSpec(params: ProcessSpawnParams): Omit<ClientProcessSpec, "env"> {
  const { command, processHandle, cwd } = params;
  if (command.length === 0) throw invalidRequest("command must not be empty");
  if (processHandle === "") throw invalidRequest("processHandle must not be empty");
  const streams = readStreams(params, { method: "process/spawn", subject: "process" });
  // Null means no limit; only an absent member means the default.
  const { timeoutMs = DEFAULT_TIMEOUT_MS, outputBytesCap = DEFAULT_OUTPUT_BYTES } = params;
  if (timeoutMs !== null && timeoutMs < 0) {
    throw invalidParams(`process/spawn timeoutMs must be non-negative, got ${timeoutMs}`);
  }
  return {
    argv: command,
    cwd,
    ...streams,
    timeoutMs,
    maxBytes: outputBytesCap,
  };
}

function toExited(processHandle: string, end: ClientProcessEnd): ProcessExitedNotification {
  const { exitCode, isDrainTimedOut, stdout, stderr } = end;
  return {
    processHandle,
    exitCode,
    outputDrainTimedOut: isDrainTimedOut,
    stdout: stdout.text,
    stdoutCapReached: stdout.capReached,
    stderr: stderr.text,
    stderrCapReached: stderr.capReached,
  };
}
