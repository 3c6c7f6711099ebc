import { osErrorText } from "../base/errors.ts";
import { runProgram } from "./command-line/run-program.ts";
import { program } from "./program.ts";

export async function warmUp(): Promise<void> {
  await (await import("./warm-up.ts")).warmUp();
}

/** How the launcher `apply_patch` calls; it is not meant for people. */
const AS_APPLY_PATCH = "--run-as-apply-patch";

export async function main(argv: readonly string[]): Promise<void> {
  const [first, ...rest] = argv;
  let isUnwritten = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // Whoever read this has seen enough, as `head` has; what was asked for is brought to its end all the same.
      if (error.code === "EPIPE" || stream === process.stderr) return;
      if (!isUnwritten) process.stderr.write(`Error: cannot write to stdout: ${osErrorText(error)}\n`);
      isUnwritten = true;
      process.exitCode = 1;
    });
  }
  const code =
    first === AS_APPLY_PATCH
      ? await (await import("./run-as-apply-patch.ts")).runAsApplyPatch(rest)
      : await runProgram(program, argv, process);
  process.exitCode = isUnwritten ? 1 : code;
}
