import { openLog } from "../serving/open-log.ts";
import { endProcess } from "../serving/run-server.ts";
import type { ExecCall } from "./exec-call.ts";
import { runExec } from "./run-exec.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs a call in this process, and ends the process with it. */
export async function runToEnd(call: ExecCall): Promise<never> {
  const stop = new AbortController();
  let fatal: NodeJS.Signals | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    for (const each of SIGNALS) process.off(each, onSignal);
    if (signal !== "SIGINT") fatal = signal;
    stop.abort();
  };
  // Nobody reads on: the work is not wanted any more, and there is nobody to tell.
  process.stdout.on("error", () => stop.abort());
  const code = await runExec(call, {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    log: openLog({ env: process.env, cwd: process.cwd() }),
    stop: stop.signal,
    // Before a turn there is nothing to end well, and a second signal waits for nothing.
    onTurn: () => SIGNALS.forEach((signal) => void process.on(signal, onSignal)),
  });
  // Whoever waits for this process learns that it was the signal that ended it.
  if (fatal !== null) process.kill(process.pid, fatal);
  return endProcess(code);
}
