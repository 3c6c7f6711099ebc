/** The programs that the package brings along for commands, such as `apply_patch`. */
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Environment } from "../../base/environment.ts";

export interface OwnPrograms {
  /** Holds one launcher for each of them. */
  readonly folder: string;
  /** The Node that launchers run; the one on the PATH of a command may be too old. */
  readonly node: string;
}

/** The folder that the build puts them into. */
const FOLDER = "programs";

/** The package's programs, in a folder beside the given file or in one of the two folders above. */
export function findOwnPrograms(file: string, node: string): OwnPrograms | null {
  const own = dirname(file);
  const places = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, FOLDER));
  const folder = places.find((place) => existsSync(join(place, "apply_patch")));
  return folder === undefined ? null : { folder, node };
}

/** The variables with which a command finds them. One without a PATH is left as it is: its shell has a default. */
export function withOwnPrograms<Variables extends Environment>(
  variables: Variables,
  programs: OwnPrograms | null,
): Variables {
  const { PATH } = variables;
  if (programs === null || !PATH) return variables;
  return { ...variables, PATH: `${programs.folder}${delimiter}${PATH}`, HEDDLE_NODE: programs.node };
}
