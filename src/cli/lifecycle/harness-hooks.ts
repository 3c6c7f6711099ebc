/** The hook files of each harness, and the format of their entries. */
import { join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { resolveHome } from "../../config/home.ts";
import {
  ADAPTERS,
  type AdapterId,
  type EventName,
  type HookRow,
  isLifecycleEvent,
} from "../../lifecycle/index.ts";
import { opencodePlugin } from "./opencode-plugin.ts";

export type InstallScope = "user" | "project";
export const INSTALL_SCOPES: readonly InstallScope[] = ["user", "project"];

export interface HookFolders {
  readonly env: Environment;
  readonly userHome: string;
  readonly project: string;
}

/** A JSON file with lists of entries, or a generated program. */
export type HarnessHooks = {
  readonly file: (scope: InstallScope, folders: HookFolders) => string;
  /** The name under which the file lists a hook; the hook's first name by default. */
  readonly nameOf?: (row: HookRow) => string;
  /** A step that the user has to take before the harness runs the hook; null for none. */
  readonly next: string | null;
} & (
  | {
      readonly kind: "json";
      /** The initial content of a new file. */
      readonly fresh: object;
      /** Creates an entry for the list that each hook has under `hooks`. */
      readonly entry: (command: string, hook: string) => object;
    }
  | { readonly kind: "program"; readonly write: (command: string, hooks: readonly string[]) => string }
);

const handler = (command: string) => ({ type: "command", command });
const group = (command: string) => ({ hooks: [handler(command)] });
const RESTART = "it takes effect in the next session";

export const HARNESS_HOOKS: Readonly<Record<AdapterId, HarnessHooks>> = {
  codex: {
    kind: "json",
    file: byScope("CODEX_HOME", ".codex", "hooks.json"),
    fresh: {},
    entry: group,
    next: "trust it with /hooks in Codex, or with heddle hooks trust",
  },
  claude: {
    kind: "json",
    file: byScope("CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
    fresh: {},
    entry: group,
    next: null,
  },
  gemini: {
    kind: "json",
    file: byScope(null, ".gemini", "settings.json"),
    fresh: {},
    // With the other trigger the hook would run before nearly every request, read as no event, at the cost of a
    // process.
    entry: (command, hook) =>
      hook === "PreCompress" ? { matcher: "manual", ...group(command) } : group(command),
    next: RESTART,
  },
  cursor: {
    kind: "json",
    file: byScope(null, ".cursor", "hooks.json"),
    fresh: { version: 1 },
    entry: (command) => ({ command }),
    next: null,
  },
  copilot: {
    kind: "json",
    file: (scope, folders) =>
      scope === "project"
        ? join(folders.project, ".github", "hooks", "heddle.json")
        : byScope("COPILOT_HOME", ".copilot", "hooks/heddle.json")(scope, folders),
    fresh: { version: 1 },
    entry: (command) => ({ type: "command", bash: command }),
    // Under its alias, the input names the hook.
    nameOf: ({ hook, aliases }) => aliases?.[0] ?? hook,
    next: RESTART,
  },
  opencode: {
    kind: "program",
    file: (scope, { env, userHome, project }) =>
      join(
        scope === "project"
          ? join(project, ".opencode")
          : join(env["XDG_CONFIG_HOME"] || join(userHome, ".config"), "opencode"),
        "plugins",
        "heddle-lifecycle.js",
      ),
    write: opencodePlugin,
    next: RESTART,
  },
  heddle: {
    kind: "json",
    file: (scope, { env, userHome, project }) =>
      join(scope === "project" ? join(project, ".codex") : resolveHome(env, userHome), "hooks.json"),
    fresh: {},
    entry: group,
    next: "trust it with heddle hooks trust",
  },
};

/** Resolves a file in the folder of the variable, or in the user's folder; in a project the folder has a fixed name. */
function byScope(variable: string | null, folder: string, file: string): HarnessHooks["file"] {
  return (scope, { env, userHome, project }) => {
    if (scope === "project") return join(project, folder, file);
    const named = variable === null ? undefined : env[variable];
    return join(named || join(userHome, folder), file);
  };
}

/** The hooks of a harness for the events, and the events that have none. */
export function hooksOf(
  id: AdapterId,
  events: readonly EventName[],
): { readonly hooks: readonly string[]; readonly unsupported: readonly EventName[] } {
  const { nameOf = ({ hook }) => hook } = HARNESS_HOOKS[id];
  const rowsOf = (event: EventName) => ADAPTERS[id].hooks.filter((row) => eventsOf(row).includes(event));
  return {
    hooks: [...new Set(events.flatMap(rowsOf).map(nameOf))],
    unsupported: events.filter((event) => rowsOf(event).length === 0),
  };
}

/** The lifecycle events that a harness has, without extension events. */
export function defaultEvents(id: AdapterId): readonly EventName[] {
  return [...new Set(ADAPTERS[id].hooks.flatMap(eventsOf).filter(isLifecycleEvent))];
}

function eventsOf({ reads, alsoFor = [] }: HookRow): readonly EventName[] {
  return [...(typeof reads === "string" ? [reads] : reads.among), ...alsoFor];
}
