import { closeSync, readdirSync, readFileSync } from "node:fs";

const CLOSED_ON_EXEC = 0o2000000;

/**
 * Closes what this process was handed down besides its own files, such as a supervisor's pipe: every command would
 * inherit it, and a confined one could write to it. Files that Node opens are closed for commands by themselves.
 */
export function closeInheritedDescriptors(firstForeign: number): void {
  for (const descriptor of listDescriptors()) {
    if (descriptor < firstForeign || isClosedOnExec(descriptor)) continue;
    try {
      closeSync(descriptor);
    } catch {
      // Closed meanwhile, as the one that the list was read from.
    }
  }
}

/** None where the system does not tell. */
function listDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

function isClosedOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) !== 0;
  } catch {
    return true;
  }
}
