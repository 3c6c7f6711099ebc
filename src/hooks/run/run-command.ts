/**
 * Runs a process as a hook: the input is written to its standard input, and its output and exit code are the
 * result.
 */
import { existsSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import type { ProcessHost, RunningProcess } from "../../process/process-host.ts";
import { untilDrained } from "../../process/trailing-output.ts";
import type { SandboxCommand, WrapOutcome } from "../../sandbox/sandbox.ts";
import type { HandlerResult } from "../outcome.ts";
import { withinDeadline } from "./within-deadline.ts";

export interface CommandHookCall {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The event's input, as JSON. */
  readonly input: string;
  readonly timeoutSeconds: number;
  /** Aborts the run. */
  readonly signal: AbortSignal;
}

/** Output beyond this is dropped, because clients could not show it. */
export const MAX_STDOUT_BYTES = 1 << 20;
export const MAX_STDERR_BYTES = 1 << 16;

export interface HookCommandPorts {
  readonly host: ProcessHost;
  readonly clock: Clock;
}

/** Wraps a command for its sandbox. */
export type Confine = (command: SandboxCommand) => WrapOutcome;

/** Runs a command in its sandbox; if the sandbox is unavailable, the command does not run. */
export async function runConfinedCommand(
  ports: HookCommandPorts,
  command: CommandHookCall,
  confine: Confine,
): Promise<HandlerResult> {
  const confined = confine(command);
  if (!confined.ok) {
    const message = `hook was not run: it asks for a sandbox, which cannot be had here: ${confined.reason}`;
    return { kind: "failed", message };
  }
  const { argv, env, release } = confined;
  try {
    return await runHookCommand(ports, { ...command, argv, env });
  } finally {
    release();
  }
}

/** Runs a command with the rights of the server. */
export async function runHookCommand(
  { host, clock }: HookCommandPorts,
  { argv, cwd, env, input, timeoutSeconds, signal }: CommandHookCall,
): Promise<HandlerResult> {
  if (signal.aborted) return { kind: "interrupted" };
  const stdout = createCapture(MAX_STDOUT_BYTES);
  const stderr = createCapture(MAX_STDERR_BYTES);
  // Bash takes a socket on its standard input for a remote login and would run start-up files, unless SHLVL
  // shows that it is not the first shell.
  const spec = { argv, cwd, env: { SHLVL: "1", ...env }, input: "pipe" } as const;
  const outcome = await host.start(spec, (chunk, stream) =>
    (stream === "stdout" ? stdout : stderr).add(chunk),
  );
  if (outcome.kind === "failed") {
    const message = existsSync(cwd) ? outcome.error.message : `folder ${cwd} does not exist`;
    return { kind: "failed", message: `hook could not be started: ${message}` };
  }
  const { process } = outcome;
  process.write(Buffer.from(input));
  process.endInput();
  const time = { clock, timeoutSeconds, signal };
  const result = await withinDeadline(time, () => readExit(process, clock, { stdout, stderr }));
  if (result.kind !== "exited") process.release();
  return result;
}

interface Captures {
  readonly stdout: Capture;
  readonly stderr: Capture;
}

async function readExit(
  process: RunningProcess,
  clock: Clock,
  { stdout, stderr }: Captures,
): Promise<HandlerResult> {
  const { code } = await process.exited;
  // A background process that holds the output open does not delay the result.
  await untilDrained(process, clock);
  process.detach();
  return {
    kind: "exited",
    exitCode: code,
    stdout: stdout.text(),
    stderr: stderr.text(),
    isCut: stdout.isCut(),
  };
}

interface Capture {
  add(chunk: Buffer): void;
  isCut(): boolean;
  text(): string;
}

/** Retains the head of a stream, up to a limit. */
function createCapture(maxBytes: number): Capture {
  const chunks: Buffer[] = [];
  let remaining = maxBytes;
  let isCut = false;
  return {
    add(chunk) {
      if (isCut) return;
      chunks.push(Buffer.from(chunk.subarray(0, remaining)));
      isCut = chunk.length > remaining;
      remaining -= Math.min(remaining, chunk.length);
    },
    isCut: () => isCut,
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}
