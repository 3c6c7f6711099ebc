/** The files that shells run when they start, of which some may be the work of a confined command. */
import { delimiter, isAbsolute, join } from "node:path";

type Variables = Readonly<Record<string, string>>;

const IN_HOME = [
  ".profile",
  ".bash_profile",
  ".bash_login",
  ".bashrc",
  ".zshenv",
  ".zprofile",
  ".zshrc",
  ".zlogin",
] as const;

/** The start-up files of a user; a variable may put them elsewhere. */
export function startUpFiles(variables: Variables): string[] {
  const { HOME, ZDOTDIR, ENV, BASH_ENV } = variables;
  const folders = [HOME, ZDOTDIR].filter((folder) => folder !== undefined && isAbsolute(folder));
  const named = [ENV, BASH_ENV].filter((file) => file !== undefined && isAbsolute(file));
  return [
    ...folders.flatMap((folder) => IN_HOME.map((name) => join(folder ?? "", name))),
    ...(named as string[]),
  ];
}

/** Variables with paths, one or many, of what programs load and run. */
const LOADED = [
  "PATH",
  "BASH_ENV",
  "ENV",
  "LD_LIBRARY_PATH",
  "LD_PRELOAD",
  "LD_AUDIT",
  "GIT_EXEC_PATH",
  "NODE_PATH",
  "PERL5LIB",
  "PYTHONPATH",
  "PYTHONSTARTUP",
  "RUBYLIB",
] as const;

/** What is run outside of every sandbox is given: nothing that leads to a file that a confined command could write. */
export function withoutWritten<V extends Variables>(variables: V, isWritten: (path: string) => boolean): V {
  const isSafe = (path: string) => isAbsolute(path) && !isWritten(path);
  const changed: Record<string, string> = { ...variables };
  for (const name of LOADED) {
    const value = variables[name];
    if (value === undefined) continue;
    // The loader takes blanks between names as well.
    const safe = value.split(name.startsWith("LD_") ? /[:; ]/ : delimiter).filter(isSafe);
    if (safe.length > 0) changed[name] = safe.join(delimiter);
    else delete changed[name];
  }
  return changed as V;
}
