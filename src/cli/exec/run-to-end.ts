import { openLog } from "../serving/open-log.ts";
import { endProcess } from "../serving/run-server.ts";
import type { ExecCall } from "./exec-call.ts";
import { runExec } from "./run-exec.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs a call, then exits the process. */
export async function runToEnd(call: ExecCall): Promise<never> {
  const stop = new AbortController();
  let fatal: NodeJS.Signals | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    for (const each of SIGNALS) process.off(each, onSignal);
    if (signal !== "SIGINT") fatal = signal;
    stop.abort();
  };
  // The reader has closed stdout, so the result is no longer needed.
  process.stdout.on("error", () => stop.abort());
  const code = await runExec(call, {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    log: openLog({ env: process.env, cwd: process.cwd() }),
    stop: stop.signal,
    // Before the turn, signals keep their default action; after the first one, so does a second.
    onTurn: () => SIGNALS.forEach((signal) => void process.on(signal, onSignal)),
  });
  // Re-raise the signal, so that the parent process sees it as the cause of the exit.
  if (fatal !== null) process.kill(process.pid, fatal);
  return endProcess(code);
}
