import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { resolveHome } from "../../config/home.ts";
import { createGuard, type Guard } from "../../sandbox/guard.ts";
import { SYSTEM_FOLDER } from "../configuration/config-source.ts";
import type { Host } from "../configuration/host.ts";

/** Folders of a home that this server or Codex reads, runs or keeps its facts in. Others can be named as writable. */
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
  /** From here on the settings of Claude Code are guarded as well: hooks of theirs are run. */
  guardClaude(): void;
}

const CLAUDE_FOLDER = ".claude";

/** Everything that a server of this home decides by, and what it runs itself. `home` is a real path. */
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
    // Agents are asked to work on these folders, so that they are kept only where they decide something here.
    protectedNames: () => (readsClaude ? [CLAUDE_FOLDER] : []),
  });
  return {
    ...guard,
    guardClaude() {
      readsClaude = true;
    },
  };
}

/** Whether a path within the home is neither read nor run by a server: a command may be allowed to write there. */
function isFree(path: string): boolean {
  const [first = ""] = path.split(sep);
  return first !== "" && first !== ".." && !isAbsolute(path) && !OWN_FOLDERS.has(first.toLowerCase());
}

/** The folders that our own code is loaded from, also later than at the start. None for one that runs from its source. */
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
