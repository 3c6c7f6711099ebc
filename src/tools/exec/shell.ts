/** Which shell runs a command, and how it is called. */
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";

export type ShellKind = "bash" | "zsh" | "sh";

export interface Shell {
  readonly kind: ShellKind;
  readonly path: string;
}

export interface ShellSearch {
  /** The login shell of the account that the server runs as. */
  readonly account: string | null;
  readonly path: string | undefined;
  readonly platform: NodeJS.Platform;
}

const LAST_RESORT: Shell = { kind: "sh", path: "/bin/sh" };
const PLACES: Readonly<Record<ShellKind, readonly string[]>> = {
  bash: ["/bin/bash", "/usr/bin/bash"],
  zsh: ["/bin/zsh"],
  sh: ["/bin/sh"],
};

/** The shell for commands that ask for none: the account's own where it is one of the three. */
export function findDefaultShell(search: ShellSearch): Shell {
  const own = kindOf(search.account ?? "");
  const others: ShellKind[] = search.platform === "darwin" ? ["zsh", "bash"] : ["bash", "zsh"];
  for (const kind of own === null ? others : [own, ...others]) {
    const shell = findShell(kind, search);
    if (shell !== null) return shell;
  }
  return LAST_RESORT;
}

/** The shell that a model's words stand for; they choose the kind, never the file. */
export function findNamedShell(name: string, search: ShellSearch): Shell {
  const kind = kindOf(name);
  return (kind === null ? null : findShell(kind, search)) ?? LAST_RESORT;
}

/** How a shell is told to run a script. */
export function shellArguments(shell: Shell, script: string, login: boolean): string[] {
  return [shell.path, login ? "-lc" : "-c", script];
}

function kindOf(path: string): ShellKind | null {
  const name = basename(path).replace(/\.[^.]*$/, "");
  return name === "bash" || name === "zsh" || name === "sh" ? name : null;
}

function findShell(kind: ShellKind, { account, path }: ShellSearch): Shell | null {
  const own = account !== null && kindOf(account) === kind ? [account] : [];
  const onPath = (path ?? "").split(delimiter).map((folder) => join(folder, kind));
  const found = own.find(isFile) ?? onPath.find(isExecutable) ?? PLACES[kind].find(isFile);
  return found === undefined ? null : { kind, path: found };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFile(path);
  } catch {
    return false;
  }
}
