/**
 * The program `apply_patch`, for commands and their scripts: reads a patch from its argument or standard
 * input and applies it in the working folder. It has the rights of its caller, and no permission is
 * requested.
 */
import { isUtf8 } from "node:buffer";
import { commitEdits } from "./commit-edits.ts";
import { type PatchFault, parsePatch } from "./parse-patch.ts";
import type { PatchFileSystem } from "./patch-file-system.ts";
import { planEdits } from "./plan-edits.ts";
import { summaryText } from "./run-patch.ts";

export interface PatchProgram {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly readInput: () => Promise<Buffer>;
  readonly fs: PatchFileSystem;
  /** A name that no other patch uses. */
  readonly id: string;
}

export interface PatchProgramEnd {
  readonly exitCode: 0 | 1 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

type Given =
  | { readonly kind: "patch"; readonly text: string }
  | { readonly kind: "end"; readonly end: PatchProgramEnd };

const USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch";
const NO_UTF8_ARGUMENT = "Error: apply_patch requires a UTF-8 PATCH argument.";
const NO_UTF8_INPUT = "Error: Failed to read PATCH from stdin.\nstream did not contain valid UTF-8";

export async function runPatchProgram(program: PatchProgram): Promise<PatchProgramEnd> {
  const given = await readPatch(program);
  if (given.kind === "end") return given.end;
  const parsed = parsePatch(given.text, describeFault);
  if (parsed.kind === "invalid") return failure(parsed.message);
  const { hunks } = parsed.patch;
  if (hunks.length === 0) return failure("No files were modified.");
  const planned = await planEdits(program.fs, hunks, program.cwd);
  if (planned.kind === "failed") return failure(planned.message);
  const committed = await commitEdits(planned.edits, program);
  if (committed.kind === "failed") return failure(committed.message);
  return { exitCode: 0, stdout: summaryText(planned.summary), stderr: "" };
}

async function readPatch({ args, readInput }: PatchProgram): Promise<Given> {
  const end = (...fault: Parameters<typeof failure>): Given => ({ kind: "end", end: failure(...fault) });
  const [argument, ...more] = args;
  if (argument === undefined) {
    const input = await readInput();
    if (input.length === 0) return end(USAGE, 2);
    return isUtf8(input) ? { kind: "patch", text: input.toString("utf8") } : end(NO_UTF8_INPUT);
  }
  // An invalid UTF-8 byte has been decoded to this character, and would be written as such.
  if (argument.includes("\ufffd")) return end(NO_UTF8_ARGUMENT);
  return more.length > 0
    ? end("Error: apply_patch accepts exactly one argument.", 2)
    : { kind: "patch", text: argument };
}

function failure(message: string, exitCode: 1 | 2 = 1): PatchProgramEnd {
  return { exitCode, stdout: "", stderr: `${message}\n` };
}

function describeFault(fault: PatchFault): string {
  return fault.about === "patch"
    ? `Invalid patch: ${fault.text}`
    : `Invalid patch hunk on line ${fault.line}: ${fault.text}`;
}
