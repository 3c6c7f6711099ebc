import { closeSync, readdirSync, readFileSync } from "node:fs";

const O_CLOEXEC = 0o2000000;

/**
 * Closes inherited descriptors, such as a supervisor's pipe: every command would inherit them, and a sandboxed one could
 * write to them. Files that Node opens have the close-on-exec flag.
 */
export function closeInheritedDescriptors(firstForeign: number): void {
  for (const descriptor of listDescriptors()) {
    if (descriptor < firstForeign || hasCloseOnExec(descriptor)) continue;
    try {
      closeSync(descriptor);
    } catch {
      // Already closed, like the descriptor that the list was read from.
    }
  }
}

/** Empty on systems without /proc. */
function listDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

function hasCloseOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0;
  } catch {
    return true;
  }
}
