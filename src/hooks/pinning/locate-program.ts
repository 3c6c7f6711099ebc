/** Finds programs by name, as a shell does. */
import { delimiter, isAbsolute, join } from "node:path";
import { isExecutable } from "../../base/file-system.ts";

/** The file that a name stands for on a PATH; null if there is none. */
export type LocateProgram = (name: string, path: string | undefined) => string | null;

/** Searches for each name once, so that it must not be used for longer than one check of some hooks. */
export function createProgramSearch(): LocateProgram {
  const found = new Map<string, string | null>();
  return (name, path = "") => {
    const key = `${name}\0${path}`;
    let file = found.get(key);
    if (file === undefined) {
      file = search(name, path);
      found.set(key, file);
    }
    return file;
  };
}

function search(name: string, path: string): string | null {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    if (isAbsolute(folder) && isExecutable(file)) return file;
  }
  return null;
}
