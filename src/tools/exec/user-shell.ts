/** Runs a command that the user typed: in a login shell, outside of the sandbox, shown as an item. */

import { type Clock, startStopwatch } from "../../base/clock.ts";
import { osErrorText } from "../../base/errors.ts";
import { truncateWithHeading } from "../../base/truncate-text.ts";
import { createHeadTailBuffer, decodeOutput } from "../../process/output-buffer.ts";
import type { ProcessExit, RunningProcess } from "../../process/process-host.ts";
import { untilDrained } from "../../process/trailing-output.ts";
import type { ItemLog } from "../tool.ts";
import { beginCommandItem, createDeltaWriter, endCommandItem } from "./command-item.ts";
import type { ExecParts } from "./exec-command.ts";
import { planRun } from "./run-plan.ts";
import { shellArguments } from "./shell.ts";
import { exitCodeOf, MAX_OUTPUT_BYTES } from "./terminal.ts";

export interface UserShellCommand {
  readonly itemId: string;
  readonly threadId: string;
  readonly command: string;
  readonly cwd: string;
  readonly items: ItemLog;
  readonly signal: AbortSignal;
  /** Defaults to an hour. */
  readonly timeoutMs?: number;
}

export interface UserShellOutcome {
  readonly exitCode: number;
  readonly output: string;
  readonly durationMs: number;
  /** The record in the model's history. */
  readonly record: string;
}

const TIMEOUT_MS = 60 * 60_000;
const TIMED_OUT = -1;
const ABORTED: Ending = { exitCode: -1, output: "command aborted by user", durationMs: 0 };

interface Ending {
  readonly exitCode: number;
  readonly output: string;
  readonly durationMs: number;
}

export async function runUserShell(parts: ExecParts, command: UserShellCommand): Promise<UserShellOutcome> {
  const { deps } = parts;
  const item = beginCommandItem({
    id: command.itemId,
    argv: shellArguments(parts.defaultShell(), command.command, true),
    cwd: command.cwd,
    source: "userShell",
    processId: null,
  });
  command.items.begin(item);
  const ending = await run(parts, command);
  command.items.complete(endCommandItem(item, ending));
  const { truncation } = deps.settingsOf(command.threadId);
  return {
    ...ending,
    record: record(command.command, ending, truncateWithHeading(ending.output, truncation)),
  };
}

async function run({ deps, logins, defaultShell }: ExecParts, command: UserShellCommand): Promise<Ending> {
  const { threadId, cwd, items, itemId, signal } = command;
  const spec = await planRun(
    {
      shell: defaultShell(),
      script: command.command,
      login: true,
      confined: false,
      cwd,
      tty: false,
      threadId,
    },
    deps.settingsOf(threadId),
    deps,
    logins,
  );
  const kept = createHeadTailBuffer(MAX_OUTPUT_BYTES);
  const deltas = createDeltaWriter((delta) => items.outputDelta(itemId, delta));
  const stopwatch = startStopwatch(deps.clock);
  const outcome = await deps.host.start(spec, (chunk) => {
    kept.push(chunk);
    deltas.write(chunk);
  });
  if (outcome.kind === "failed") {
    return { exitCode: -1, output: `execution error: ${osErrorText(outcome.error)}`, durationMs: 0 };
  }
  const end = await untilEnd(outcome.process, signal, deps.clock, command.timeoutMs ?? TIMEOUT_MS);
  deltas.end();
  if (signal.aborted) return ABORTED;
  const exitCode = end === null ? TIMED_OUT : exitCodeOf(end, false);
  const text = kept.text(decodeOutput);
  const output = end === null ? `${text}command timed out` : text;
  return { exitCode, output, durationMs: stopwatch.elapsedMs() };
}

/** Waits for the exit and kills the process group; null on timeout. */
async function untilEnd(
  process: RunningProcess,
  signal: AbortSignal,
  clock: Clock,
  timeoutMs: number,
): Promise<ProcessExit | null> {
  let isLate = false;
  const abort = (): void => process.release();
  const cancel = clock.after(timeoutMs, () => {
    isLate = true;
    process.release();
  });
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  const exit = await process.exited;
  cancel();
  await untilDrained(process, clock, signal);
  signal.removeEventListener("abort", abort);
  process.release();
  return isLate ? null : exit;
}

function record(command: string, { exitCode, durationMs }: Ending, output: string): string {
  const seconds = (durationMs / 1000).toFixed(4);
  return `<user_shell_command>\n<command>\n${command}\n</command>\n<result>\nExit code: ${exitCode}\nDuration: ${seconds} seconds\nOutput:\n${output}\n</result>\n</user_shell_command>`;
}
