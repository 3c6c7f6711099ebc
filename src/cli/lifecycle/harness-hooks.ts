/** Where each harness keeps its hooks, and how an entry is written there. */
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

export interface HookPlaces {
  readonly env: Environment;
  readonly userHome: string;
  readonly project: string;
}

/** A file of JSON with lists of entries, or a program of its own. */
export type HarnessHooks = {
  readonly file: (scope: InstallScope, places: HookPlaces) => string;
  /** By which of its names the file knows a hook; its first unless told. */
  readonly nameOf?: (row: HookRow) => string;
  /** What a person has to do before the harness runs the hook; null for nothing. */
  readonly next: string | null;
} & (
  | {
      readonly kind: "json";
      /** What a file has to begin with that is not there yet. */
      readonly fresh: object;
      /** Of the list that each hook has under `hooks`. */
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
    // With the other trigger it comes before nearly every request and tells of nothing, at the price of a process.
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
    file: (scope, places) =>
      scope === "project"
        ? join(places.project, ".github", "hooks", "heddle.json")
        : byScope("COPILOT_HOME", ".copilot", "hooks/heddle.json")(scope, places),
    fresh: { version: 1 },
    entry: (command) => ({ type: "command", bash: command }),
    // Under this name it says in its input which hook it is.
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

/** In the folder that the variable names, or in that of the user; in a project always under the same name. */
function byScope(variable: string | null, folder: string, file: string): HarnessHooks["file"] {
  return (scope, { env, userHome, project }) => {
    if (scope === "project") return join(project, folder, file);
    const named = variable === null ? undefined : env[variable];
    return join(named || join(userHome, folder), file);
  };
}

/** The hooks of a harness that tell of the events, and the events that none of them tells of. */
export function hooksOf(
  id: AdapterId,
  events: readonly EventName[],
): { readonly hooks: readonly string[]; readonly untold: readonly EventName[] } {
  const { nameOf = ({ hook }) => hook } = HARNESS_HOOKS[id];
  const rowsOf = (event: EventName) => ADAPTERS[id].hooks.filter((row) => eventsOf(row).includes(event));
  return {
    hooks: [...new Set(events.flatMap(rowsOf).map(nameOf))],
    untold: events.filter((event) => rowsOf(event).length === 0),
  };
}

/** All that a harness tells of, without what only those are told of who ask for it. */
export function usualEvents(id: AdapterId): readonly EventName[] {
  return [...new Set(ADAPTERS[id].hooks.flatMap(eventsOf).filter(isLifecycleEvent))];
}

function eventsOf({ reads, alsoFor = [] }: HookRow): readonly EventName[] {
  return [...(typeof reads === "string" ? [reads] : reads.among), ...alsoFor];
}
