import { type Command, declareCommand, type RunCommand } from "../command-line/command.ts";
import { type ExecTask, readExecCall } from "../exec/exec-call.ts";
import { forkSpec, resumeSpec, reviewSpec, startSpec } from "../exec/exec-options.ts";
import { runToEnd } from "../exec/run-to-end.ts";

export const exec: Command = {
  ...startSpec,
  run: runTask("start"),
  subcommands: [
    declareCommand({ name: "resume", summary: "Go on with a thread", ...resumeSpec, run: runTask("resume") }),
    declareCommand({
      name: "fork",
      summary: "Go on with a copy of a thread",
      ...forkSpec,
      run: runTask("fork"),
    }),
    declareCommand({
      name: "review",
      summary: "Review changes of a repository",
      ...reviewSpec,
      run: runTask("review"),
    }),
  ],
};

function runTask(kind: ExecTask["kind"]): RunCommand {
  return (args, chain) => runToEnd(readExecCall(kind, args, chain));
}
