/** Expands the variables of a command whose values are known before it runs, as a shell would. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LocateProgram } from "./locate-program.ts";

export interface ExecEnv {
  readonly cwd: string;
  /** The environment that the command will have. */
  readonly env: Readonly<Record<string, string>>;
  /** Shared by hooks that are checked together, because most of them run the same few programs. */
  readonly locate?: LocateProgram;
}

/** Text that means the same inside and outside of quotes. */
const PLAIN = /^[\w./@%+,:-]+$/;
const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;
const HOME = /(^|[\s=:;&|("])~(?=\/)/g;
const REPOSITORY = /\$\(\s*git\s+rev-parse\s+--show-toplevel\s*(?:2>\s*\/dev\/null\s*)?\)/g;
const CHANGES_FOLDER = /(?:^|[\s;&|(])(?:cd|pushd|popd)\b/;

/** Each name is searched in the whole text, so that their number is limited. */
const MAX_VARIABLES = 64;

/** Expansions that remain are known only at run time. */
export function expandVariables(command: string, execEnv: ExecEnv): string {
  const { cwd, env } = execEnv;
  const isElsewhere = CHANGES_FOLDER.test(command);
  const read = (name: string): string | null => {
    if (isAssigned(command, name)) return null;
    if (name === "PWD") return isElsewhere ? null : cwd;
    return Object.hasOwn(env, name) ? (env[name] ?? null) : null;
  };
  const values = new Map<string, string | null>();
  const valueOf = (name: string): string | null => {
    if (!values.has(name)) values.set(name, values.size < MAX_VARIABLES ? read(name) : null);
    return values.get(name) ?? null;
  };
  const settled = (whole: string, value: string | null) =>
    value !== null && PLAIN.test(value) ? value : whole;
  return command
    .replace(REPOSITORY, (whole) => settled(whole, isElsewhere ? null : findRepository(execEnv)))
    .replace(VARIABLE, (whole, braced: string | undefined, bare: string | undefined) =>
      settled(whole, valueOf(braced ?? bare ?? "")),
    )
    .replace(HOME, (whole, before: string) => {
      const home = valueOf("HOME");
      return home !== null && PLAIN.test(home) ? `${before}${home}` : whole;
    });
}

/** Also true for `read`, `for` and the like: any occurrence of the bare name counts. */
function isAssigned(command: string, name: string): boolean {
  return new RegExp(`(?:^|[^\\w\${])${name}(?:$|[^\\w])`).test(command);
}

/**
 * The root of the repository as git finds it; null where git could resolve another one, because of a variable
 * or a directory that is a bare repository itself.
 */
function findRepository({ cwd, env }: ExecEnv): string | null {
  if (["GIT_DIR", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES"].some((name) => Object.hasOwn(env, name)))
    return null;
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (existsSync(join(folder, "HEAD")) && existsSync(join(folder, "objects"))) return null;
    if (folder === dirname(folder)) return null;
  }
}
