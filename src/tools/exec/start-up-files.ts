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

/** What a shell outside of every sandbox is given: nothing in it leads to a file that a confined command could write. */
export function withoutWritten<V extends Variables>(variables: V, isWritten: (path: string) => boolean): V {
  const { PATH, BASH_ENV, ENV } = variables;
  const isSafe = (path: string) => isAbsolute(path) && !isWritten(path);
  const dropped = Object.entries({ BASH_ENV, ENV }).filter(([, file]) => file !== undefined && !isSafe(file));
  const path = PATH?.split(delimiter).filter(isSafe).join(delimiter);
  return {
    ...Object.fromEntries(
      Object.entries(variables).filter(([name]) => !dropped.some(([each]) => each === name)),
    ),
    ...(path === undefined ? {} : { PATH: path }),
  } as V;
}
