/** Selects the shell of a command, its arguments, and its start-up files. */
import { basename, delimiter, isAbsolute, join } from "node:path";
import { isExecutable, isFile } from "../../base/file-system.ts";

export type ShellKind = "bash" | "zsh" | "sh";

export interface Shell {
  readonly kind: ShellKind;
  readonly path: string;
}

export interface ShellSearch {
  /** The login shell of the server's account. */
  readonly account: string | null;
  readonly path: string | undefined;
  /** Whether a sandboxed command may have written the file; such a file is never used as a shell. */
  readonly isWritten: (path: string) => boolean;
  readonly platform: NodeJS.Platform;
}

const LAST_RESORT: Shell = { kind: "sh", path: "/bin/sh" };
const PLACES: Readonly<Record<ShellKind, readonly string[]>> = {
  bash: ["/bin/bash", "/usr/bin/bash"],
  zsh: ["/bin/zsh"],
  sh: ["/bin/sh"],
};

/** The default shell: that of the account, if it is one of the three supported kinds. */
export function findDefaultShell(search: ShellSearch): Shell {
  const own = kindOf(search.account ?? "");
  const others: ShellKind[] = search.platform === "darwin" ? ["zsh", "bash"] : ["bash", "zsh"];
  for (const kind of own === null ? others : [own, ...others]) {
    const shell = findShell(kind, search);
    if (shell !== null) return shell;
  }
  return LAST_RESORT;
}

/** Resolves the shell that the model names; the name selects the kind, never the file. */
export function findNamedShell(name: string, search: ShellSearch): Shell {
  const kind = kindOf(name);
  return (kind === null ? null : findShell(kind, search)) ?? LAST_RESORT;
}

/** The argv with which a shell runs a script. */
export function shellArguments(shell: Shell, script: string, login: boolean): string[] {
  return [shell.path, login ? "-lc" : "-c", script];
}

/** The same without start-up files of the user; of the three only zsh reads one for a plain script. */
export function bareShellArguments(shell: Shell, script: string): string[] {
  return [shell.path, shell.kind === "zsh" ? "-fc" : "-c", script];
}

function kindOf(path: string): ShellKind | null {
  const name = basename(path).replace(/\.[^.]*$/, "");
  return name === "bash" || name === "zsh" || name === "sh" ? name : null;
}

function findShell(kind: ShellKind, { account, path, isWritten }: ShellSearch): Shell | null {
  const own = account !== null && kindOf(account) === kind ? [account] : [];
  const onPath = (path ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, kind));
  const isSafe = (file: string) => !isWritten(file);
  const found =
    own.filter(isFile).find(isSafe) ??
    onPath.filter(isExecutable).find(isSafe) ??
    PLACES[kind].filter(isFile).find(isSafe);
  return found === undefined ? null : { kind, path: found };
}

/** Files that shells run at start-up, some of which a sandboxed command may have written. */

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

/** The user's start-up files; a variable may move them. */
export function startUpFiles(variables: Variables): string[] {
  const { HOME, ZDOTDIR, ENV, BASH_ENV } = variables;
  const folders = [HOME, ZDOTDIR].filter((folder) => folder !== undefined && isAbsolute(folder));
  const named = [ENV, BASH_ENV].filter((file) => file !== undefined && isAbsolute(file));
  return [
    ...folders.flatMap((folder) => IN_HOME.map((name) => join(folder ?? "", name))),
    ...(named as string[]),
  ];
}

/** Variables with one or more paths that programs load and run. */
const LOADED = [
  "PATH",
  "BASH_ENV",
  "ENV",
  "LD_LIBRARY_PATH",
  "LD_PRELOAD",
  "LD_AUDIT",
  "CLASSPATH",
  "GEM_HOME",
  "GEM_PATH",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_DIR",
  "GIT_EXEC_PATH",
  "GIT_TEMPLATE_DIR",
  "NODE_PATH",
  "PERL5LIB",
  "PYTHONHOME",
  "PYTHONPATH",
  "PYTHONSTARTUP",
  "PYTHONUSERBASE",
  "RUBYLIB",
] as const;

/** Variables with interpreter options, some of which preload a file. */
const OPTIONS = ["NODE_OPTIONS", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"] as const;
/** A name that is not a path is resolved in the working folder. */
const LOADS_BY_NAME =
  /(?:^|\s)(?:-r|--require|--import|--(?:experimental-)?loader)[=\s]\s*["']?(?![/"'\s]|file:)/;

/**
 * Removes references to files that a sandboxed command could have written, for processes that run outside of
 * every sandbox.
 */
export function withoutWritten<V extends Variables>(variables: V, isWritten: (path: string) => boolean): V {
  const isSafe = (path: string) => isAbsolute(path) && !isWritten(path);
  const changed: Record<string, string> = { ...variables };
  for (const name of LOADED) {
    const value = variables[name];
    if (value === undefined) continue;
    // The dynamic loader also accepts blanks as separators.
    const safe = value.split(name.startsWith("LD_") ? /[:; ]/ : delimiter).filter(isSafe);
    if (safe.length > 0) changed[name] = safe.join(delimiter);
    else delete changed[name];
  }
  for (const name of OPTIONS) {
    const value = variables[name] ?? "";
    const paths = value.split(/[\s="':]+/).filter((word) => word.includes("/"));
    // A path may be joined to its option.
    const isLed = paths.some((path) => !isSafe(path.replace(/^-[A-Za-z](?=[./])/, "")));
    if (isLed || LOADS_BY_NAME.test(value)) delete changed[name];
  }
  return changed as V;
}
