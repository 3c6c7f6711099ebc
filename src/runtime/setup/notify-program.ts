import type { Clock } from "../../base/clock.ts";
import { definedOnly, type Environment } from "../../base/environment.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { AnsweredTurn } from "../../engine/turn/turn-setup.ts";
import type { ProcessHost } from "../../process/process-host.ts";
import { findSandboxWritableFile, sandboxWritableReason } from "../../sandbox/writable-paths.ts";
import { withoutWritten } from "../../tools/exec/shell.ts";

export interface NotifyOptions {
  /** The configured program and its arguments. */
  readonly argv: readonly string[];
  /** Whether a file may be the work of a confined command, and is not to be run. */
  readonly isWritten: (path: string) => boolean;
  readonly clientName: () => string;
  readonly env: Environment;
  readonly log: Logger;
  readonly host: () => Promise<ProcessHost>;
  readonly clock: Clock;
}

/** How long the program may take; a turn more may end meanwhile, and it is started for that one as well. */
const NOTIFY_MS = 60_000;

/** Runs the program that the user wants to be told of answered turns by; its last argument says what happened. */
export function createNotifyProgram(options: NotifyOptions) {
  const { argv, isWritten, clientName, env, log, host, clock } = options;
  return async ({ threadId, turnId, cwd, prompts, answer }: AnsweredTurn): Promise<void> => {
    const told = JSON.stringify({
      type: "agent-turn-complete",
      "thread-id": threadId,
      "turn-id": turnId,
      cwd,
      client: clientName(),
      "input-messages": prompts,
      "last-assistant-message": answer,
    });
    const written = findSandboxWritableFile(argv, { cwd, path: env["PATH"], isSandboxWritable: isWritten });
    if (written !== null) {
      log.warn("the program of `notify` was not run", { reason: sandboxWritableReason(written) });
      return;
    }
    const spec = { argv: [...argv, told], cwd, env: withoutWritten(definedOnly(env), isWritten) };
    const outcome = await (await host()).start(spec, () => {});
    if (outcome.kind === "failed") {
      log.warn("the program of `notify` could not be started", { reason: messageOf(outcome.error) });
      return;
    }
    const cancel = clock.after(NOTIFY_MS, () => {
      log.warn("the program of `notify` did not end", { endedAfterMs: NOTIFY_MS });
      outcome.process.release();
    });
    await outcome.process.closed;
    cancel();
    outcome.process.release();
  };
}
