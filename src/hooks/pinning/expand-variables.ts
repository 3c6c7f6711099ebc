/** Puts in place of the expansions whose value is known before a command runs what a shell would put there. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

export interface ExecEnv {
  readonly cwd: string;
  /** As the command will have it. */
  readonly env: Readonly<Record<string, string>>;
}

/** Text that means the same within quotes and without. */
const PLAIN = /^[\w./@%+,:-]+$/;
const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;
const HOME = /(^|[\s=:;&|("])~(?=\/)/g;
const REPOSITORY = /\$\(\s*git\s+rev-parse\s+--show-toplevel\s*(?:2>\s*\/dev\/null\s*)?\)/g;
const CHANGES_FOLDER = /(?:^|[\s;&|(])(?:cd|pushd|popd)\b/;

/** Each is looked for in the whole text. */
const MAX_VARIABLES = 64;

/** What it leaves is only known when the command runs. */
export function expandVariables(command: string, place: ExecEnv): string {
  const { cwd, env } = place;
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
    .replace(REPOSITORY, (whole) => settled(whole, isElsewhere ? null : findRepository(place)))
    .replace(VARIABLE, (whole, braced: string | undefined, bare: string | undefined) =>
      settled(whole, valueOf(braced ?? bare ?? "")),
    )
    .replace(HOME, (whole, before: string) => {
      const home = valueOf("HOME");
      return home !== null && PLAIN.test(home) ? `${before}${home}` : whole;
    });
}

/** Also by `read`, `for` and the like: any place where the name stands for itself. */
function isAssigned(command: string, name: string): boolean {
  return new RegExp(`(?:^|[^\\w\${])${name}(?:$|[^\\w])`).test(command);
}

/**
 * The top of the repository as git finds it; null where something could lead git elsewhere: a variable, or a folder
 * that passes for a repository itself.
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
