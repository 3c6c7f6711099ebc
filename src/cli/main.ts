import { osErrorText } from "../base/errors.ts";
import { runProgram } from "./command-line/run-program.ts";
import { program } from "./program.ts";

export async function warmUp(): Promise<void> {
  await (await import("./warm-up.ts")).warmCodeCache();
}

/** Internal flag: the `apply_patch` launcher on the PATH of commands passes it. */
const AS_APPLY_PATCH = "--run-as-apply-patch";

export async function main(argv: readonly string[]): Promise<void> {
  const [first, ...rest] = argv;
  let hasWriteFailed = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // EPIPE means that the reader closed early, as `head` does; the command still runs to its end.
      if (error.code === "EPIPE" || stream === process.stderr) return;
      if (!hasWriteFailed) process.stderr.write(`Error: cannot write to stdout: ${osErrorText(error)}\n`);
      hasWriteFailed = true;
      process.exitCode = 1;
    });
  }
  const code =
    first === AS_APPLY_PATCH
      ? await (await import("./run-as-apply-patch.ts")).runAsApplyPatch(rest)
      : await runProgram(program, argv, process);
  process.exitCode = hasWriteFailed ? 1 : code;
}
