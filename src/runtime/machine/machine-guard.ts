import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { resolveHome } from "../../config/home.ts";
import { createGuard, type Guard } from "../../sandbox/guard.ts";
import { SYSTEM_FOLDER } from "../configuration/config-source.ts";
import type { Host } from "../configuration/host.ts";

/**
 * Folders of a home that this server or Codex reads, executes or stores data in. Other folders may be
 * configured as writable.
 */
const OWN_FOLDERS = new Set([
  ".tmp",
  "agents",
  "app-server-control",
  "archived_sessions",
  "bin",
  "hooks",
  "log",
  "packages",
  "plugins",
  "prompts",
  "rules",
  "sandbox",
  "sessions",
  "skills",
  "themes",
  "thread-writer-locks",
  "vendor_imports",
]);

export interface MachineGuard extends Guard {
  /** Also guards the settings of Claude Code; called once hooks are read from them. */
  guardClaude(): void;
}

const CLAUDE_FOLDER = ".claude";

/**
 * Guards everything that a server of this home reads for its decisions or executes. `home` is a real path.
 */
export function createMachineGuard(
  { userHome, env }: Pick<Host, "userHome" | "env">,
  home: string,
): MachineGuard {
  let readsClaude = false;
  const always = [
    resolveHome(env, userHome),
    home,
    join(userHome, ".codex"),
    join(userHome, ".agents"),
    SYSTEM_FOLDER,
    process.execPath,
    ...ownCode(fileURLToPath(import.meta.url)),
  ];
  const guard = createGuard({
    paths: () => [...new Set(readsClaude ? [...always, join(userHome, CLAUDE_FOLDER)] : always)],
    isExempt: (folder) => isFree(relative(home, folder)),
    // Agents often work on these folders, so they are protected only if hooks are read from them.
    protectedNames: () => (readsClaude ? [CLAUDE_FOLDER] : []),
  });
  return {
    ...guard,
    guardClaude() {
      readsClaude = true;
    },
  };
}

/**
 * Whether the server neither reads nor executes a path of the home, so that commands may be allowed to write
 * there.
 */
function isFree(path: string): boolean {
  const [first = ""] = path.split(sep);
  return first !== "" && first !== ".." && !isAbsolute(path) && !OWN_FOLDERS.has(first.toLowerCase());
}

/**
 * The folders that our code is loaded from, including lazily loaded code. Empty if the server runs from its
 * source.
 */
function ownCode(file: string): string[] {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const above = dirname(folder);
    if (basename(above) === "node_modules") return [folder];
    if (basename(folder) === "dist") {
      return basename(dirname(above)) === "node_modules" ? [above] : [folder, join(above, "node_modules")];
    }
  }
  return [];
}
