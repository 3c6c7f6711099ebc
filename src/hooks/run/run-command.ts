/** Runs a program as a hook: its input on the standard input, and what it answers from its output and exit code. */
import { existsSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import type { ProcessHost, RunningProcess } from "../../process/process-host.ts";
import { untilDrained } from "../../process/trailing-output.ts";
import type { SandboxCommand, WrapOutcome } from "../../sandbox/sandbox.ts";
import type { HandlerResult } from "../outcome.ts";
import { withinDeadline } from "./within-deadline.ts";

export interface HookCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The event's input, as JSON. */
  readonly input: string;
  readonly timeoutSeconds: number;
  /** Ends the run at once. */
  readonly signal: AbortSignal;
}

/** What is written beyond this is dropped: nobody could be shown it. */
export const MAX_STDOUT_BYTES = 1 << 20;
export const MAX_STDERR_BYTES = 1 << 16;

export interface HookCommandPorts {
  readonly host: ProcessHost;
  readonly clock: Clock;
}

/** Puts a command into its sandbox. */
export type Confine = (command: SandboxCommand) => WrapOutcome;

/** Runs it within bounds; where they cannot be had, it does not run. */
export async function runConfinedCommand(
  ports: HookCommandPorts,
  command: HookCommand,
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

/** Runs it with the rights of the server. */
export async function runHookCommand(
  { host, clock }: HookCommandPorts,
  { argv, cwd, env, input, timeoutSeconds, signal }: HookCommand,
): Promise<HandlerResult> {
  if (signal.aborted) return { kind: "interrupted" };
  const stdout = createCapture(MAX_STDOUT_BYTES);
  const stderr = createCapture(MAX_STDERR_BYTES);
  // Bash takes the socket that is its input for a login from afar, unless it is not the first shell, and would run
  // start-up files that nobody has asked for.
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
  // A background process that has the hook's output open does not keep the run.
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

/** The beginning of a stream, as far as it may be kept. */
function createCapture(maxBytes: number): Capture {
  const chunks: Buffer[] = [];
  let left = maxBytes;
  let isCut = false;
  return {
    add(chunk) {
      if (isCut) return;
      chunks.push(Buffer.from(chunk.subarray(0, left)));
      isCut = chunk.length > left;
      left -= Math.min(left, chunk.length);
    },
    isCut: () => isCut,
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}
