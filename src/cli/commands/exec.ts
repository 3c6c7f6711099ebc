import { type Command, renderHelp } from "../command-line/arguments.ts";
import { execSpec, readExecCall } from "../exec/exec-call.ts";
import { runExec } from "../exec/run-exec.ts";
import { endProcess, openLogger } from "../serving/run-server.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export const exec: Command = {
  spec: execSpec,
  async run(own, program) {
    const read = readExecCall(own, program);
    if (read.kind === "help") {
      process.stdout.write(renderHelp(read.spec));
      return 0;
    }
    const stop = new AbortController();
    let fatal: NodeJS.Signals | null = null;
    const onSignal = (signal: NodeJS.Signals) => {
      for (const each of SIGNALS) process.off(each, onSignal);
      if (signal !== "SIGINT") fatal = signal;
      stop.abort();
    };
    // Nobody reads on: the work is not wanted any more, and there is nobody to tell.
    process.stdout.on("error", () => stop.abort());
    process.stderr.on("error", () => {});
    const code = await runExec(read.call, {
      env: process.env,
      cwd: process.cwd(),
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      log: openLogger(process.env),
      stop: stop.signal,
      // Before a turn there is nothing to end well, and a second signal waits for nothing.
      onTurn: () => SIGNALS.forEach((signal) => void process.on(signal, onSignal)),
    });
    // Whoever waits for this process learns that it was the signal that ended it.
    if (fatal !== null) process.kill(process.pid, fatal);
    return endProcess(code);
  },
};
