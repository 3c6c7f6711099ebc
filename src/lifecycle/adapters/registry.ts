import type { EventName } from "../vocabulary/events.ts";
import { type AdapterId, eventsRead, type HarnessAdapter, type HookRow } from "./adapter.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { heddle } from "./heddle.ts";
import { opencode } from "./opencode.ts";

export const ADAPTERS: Readonly<Record<AdapterId, HarnessAdapter>> = {
  codex,
  claude,
  gemini,
  cursor,
  copilot,
  opencode,
  heddle,
};

export const ADAPTER_IDS = Object.keys(ADAPTERS) as readonly AdapterId[];

/** By its name or another one that is in use for it, exactly as written. */
export function findAdapter(name: string): HarnessAdapter | undefined {
  return Object.values(ADAPTERS).find(({ id, aliases }) => id === name || aliases.includes(name));
}

export function findHook(adapter: HarnessAdapter, name: string): HookRow | undefined {
  return adapter.hooks.find(({ hook, aliases }) => hook === name || aliases?.includes(name) === true);
}

/** The hook that is told of the result of an event; the first where there are several and none is named. */
export function hookFor(adapter: HarnessAdapter, event: EventName, name?: string): HookRow | undefined {
  const named = name === undefined ? undefined : findHook(adapter, name);
  return (name === undefined ? adapter.hooks : [named]).find(
    (row) => row !== undefined && [...eventsRead(row), ...(row.alsoFor ?? [])].includes(event),
  );
}
