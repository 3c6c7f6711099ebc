import type { EventName } from "../vocabulary/events.ts";
import { type AdapterId, eventsRead, type HarnessAdapter, type HookRow } from "./adapter.ts";
import { claudeAdapter } from "./claude.ts";
import { codexAdapter } from "./codex.ts";
import { copilotAdapter } from "./copilot.ts";
import { cursorAdapter } from "./cursor.ts";
import { geminiAdapter } from "./gemini.ts";
import { heddleAdapter } from "./heddle.ts";
import { opencodeAdapter } from "./opencode.ts";

export const ADAPTERS: Readonly<Record<AdapterId, HarnessAdapter>> = {
  codex: codexAdapter,
  claude: claudeAdapter,
  gemini: geminiAdapter,
  cursor: cursorAdapter,
  copilot: copilotAdapter,
  opencode: opencodeAdapter,
  heddle: heddleAdapter,
};

export const ADAPTER_IDS = Object.keys(ADAPTERS) as readonly AdapterId[];

/** Finds an adapter by its id or an alias; case matters. */
export function findAdapter(name: string): HarnessAdapter | undefined {
  return Object.values(ADAPTERS).find(({ id, aliases }) => id === name || aliases.includes(name));
}

export function findHook(adapter: HarnessAdapter, name: string): HookRow | undefined {
  return adapter.hooks.find(({ hook, aliases }) => hook === name || aliases?.includes(name) === true);
}

/** The hook that receives the result of an event: the named one, or else the first one for the event. */
export function hookFor(adapter: HarnessAdapter, event: EventName, name?: string): HookRow | undefined {
  const named = name === undefined ? undefined : findHook(adapter, name);
  return (name === undefined ? adapter.hooks : [named]).find(
    (row) => row !== undefined && [...eventsRead(row), ...(row.alsoFor ?? [])].includes(event),
  );
}
