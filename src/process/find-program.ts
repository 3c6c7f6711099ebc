import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** The file that a program's name stands for, or the error that running it would give. */
export async function findProgram(name: string, cwd: string, path: string | undefined): Promise<string> {
  const direct = isAbsolute(name) || name.includes("/");
  const places = direct
    ? [resolve(cwd, name)]
    : (path ?? "").split(delimiter).map((folder) => join(folder, name));
  let refusal: unknown = missing(name);
  for (const place of places) {
    try {
      await access(place, constants.X_OK);
      return place;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EACCES" || direct) refusal = error;
    }
  }
  throw refusal;
}

function missing(name: string): Error {
  return Object.assign(new Error(`no such program: ${name}`), { code: "ENOENT", errno: -2 });
}
