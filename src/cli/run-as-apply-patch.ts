import { randomUUID } from "node:crypto";
import { nodeFileSystem } from "../tools/apply-patch/patch-file-system.ts";
import { runPatchProgram } from "../tools/apply-patch/patch-program.ts";

/** Entry point of the `apply_patch` launcher on the PATH of commands. Returns the exit code. */
export async function runAsApplyPatch(args: readonly string[]): Promise<number> {
  const { exitCode, stdout, stderr } = await runPatchProgram({
    args,
    cwd: process.cwd(),
    readInput,
    fs: nodeFileSystem,
    id: randomUUID(),
  });
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  return exitCode;
}

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
