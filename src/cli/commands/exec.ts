import type { Command, CommandEntry, RunCommand } from "../command-line/command.ts";
import { declareCommand } from "../command-line/command.ts";
import { type ExecTask, readExecCall } from "../exec/exec-call.ts";
import { forkSpec, resumeSpec, reviewSpec, startSpec } from "../exec/exec-options.ts";
import { runExec } from "../exec/run-exec.ts";
import { endProcess, openLogger } from "../serving/run-server.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const subcommands: readonly CommandEntry[] = [
  declareCommand({ name: "resume", summary: "Go on with a thread", ...resumeSpec, run: runTask("resume") }),
  declareCommand({
    name: "fork",
    summary: "Go on with a copy of a thread",
    ...forkSpec,
    run: runTask("fork"),
  }),
  declareCommand({
    name: "review",
    summary: "Review changes of this repository",
    ...reviewSpec,
    run: runTask("review"),
  }),
];

export const exec: Command = { ...startSpec, subcommands, run: runTask("start") };

function runTask(kind: ExecTask["kind"]): RunCommand {
  return async (given, places) => {
    const call = readExecCall(kind, given, places);
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
      log: openLogger(process.env),
      stop: stop.signal,
      // Before a turn there is nothing to end well, and a second signal waits for nothing.
      onTurn: () => SIGNALS.forEach((signal) => void process.on(signal, onSignal)),
    });
    // Whoever waits for this process learns that it was the signal that ended it.
    if (fatal !== null) process.kill(process.pid, fatal);
    return endProcess(code);
  };
}
