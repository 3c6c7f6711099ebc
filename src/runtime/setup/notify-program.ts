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
  /** Whether a sandboxed command could have written a file, which is then not executed. */
  readonly isWritten: (path: string) => boolean;
  readonly clientName: () => string;
  readonly env: Environment;
  readonly log: Logger;
  readonly host: () => Promise<ProcessHost>;
  readonly clock: Clock;
}

/** The timeout of the program. It is started for every turn, also while an earlier run lasts. */
const NOTIFY_MS = 60_000;

/** Runs the `notify` program after completed turns; its last argument is the event as JSON. */
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
