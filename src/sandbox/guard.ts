/**
 * What no confined command may change, wherever it lies: the files by which the server decides, and those that it
 * runs. Whoever could write them would decide, or run, outside of every sandbox.
 */
import { lstatSync } from "node:fs";
import { realPath } from "../base/real-path.ts";
import { createAliasFinder } from "./mount-aliases.ts";

export interface Guard {
  /** As they are named; a link on the way could be turned, and the name would lead elsewhere. */
  readonly named: readonly string[];
  /** Where they really are, also through other mounts of the same file system; those that do not exist by name. */
  places(): readonly string[];
  /** Whether a folder may be written although it lies in a guarded one. */
  isOpen(folder: string): boolean;
}

export const NO_GUARD: Guard = { named: [], places: () => [], isOpen: () => true };

/** `isOpen` is asked about folders within the guarded ones, by their real paths. */
export function createGuard(
  named: readonly string[],
  isOpen: (folder: string) => boolean = () => false,
): Guard {
  const aliasesOf = createAliasFinder();
  return {
    named,
    places() {
      const places = new Set(named.map(realPath));
      for (const alias of aliasesOf([...places])) if (exists(alias)) places.add(alias);
      return [...places];
    },
    isOpen,
  };
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
