/** Looks at a command line that the server is to run outside of every sandbox. */
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { isExecutable, isFile } from "../base/is-executable.ts";

export interface ProgramPlace {
  readonly cwd: string;
  readonly path: string | undefined;
  /** Whether a file may be the work of a confined command. */
  readonly isWritten: (path: string) => boolean;
}

/**
 * The file in a command line, its program or a script that it is given, that a confined command could have written;
 * null for none. What the program reads by itself is not seen.
 */
export function findWrittenFile(
  [program = "", ...args]: readonly string[],
  place: ProgramPlace,
): string | null {
  const { cwd, isWritten } = place;
  const files = [
    locateProgram(program, place),
    // An option may have its file behind an equals sign.
    ...args.flatMap((arg) => [arg, arg.slice(arg.indexOf("=") + 1)]).map((arg) => resolve(cwd, arg)),
  ];
  return files.find((file) => file !== null && isFile(file) && isWritten(file)) ?? null;
}

/** For whoever has to move the file, or to decide that it is run all the same. */
export function writtenReason(file: string): string {
  return `${file} lies where sandboxed commands can write, so that it may be theirs: move it elsewhere, or set workspace_programs = "run"`;
}

/** The file that a name stands for where it is searched for in folders that no confined command writes to. */
export function findOwnProgram(name: string, { path, isWritten }: Omit<ProgramPlace, "cwd">): string | null {
  const files = (path ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
  return files.find((file) => isExecutable(file) && !isWritten(file)) ?? null;
}

function locateProgram(program: string, { cwd, path }: ProgramPlace): string | null {
  if (program.includes("/")) return resolve(cwd, program);
  const files = (path ?? "").split(delimiter).map((folder) => resolve(cwd, folder, program));
  return files.find(isExecutable) ?? null;
}
