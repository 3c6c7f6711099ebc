/**
 * Hook trust. Trust is granted to a digest of the hook, computed as the peer computes it, and is stored under
 * the hook's position in its file, so that trust granted in either server holds in the other.
 */
import { type Layer, layerVersion } from "../../config/layer.ts";
import { isTable, type TomlTable, valueAt } from "../../config/toml/toml-value.ts";
import type { HookTrustStatus } from "../../protocol/generated/types.ts";
import { snakeNameOf } from "../hook-event.ts";
import type { HookDefinition } from "./parse-hooks.ts";

export function hookKey(path: string, { event, group, index }: HookDefinition): string {
  return `${path}:${snakeNameOf(event)}:${group}:${index}`;
}

export function hookHash({ event, matcher, identity }: HookDefinition): string {
  const subject: TomlTable = { event_name: snakeNameOf(event), hooks: [identity] };
  if (matcher !== null) subject["matcher"] = matcher;
  return layerVersion(subject);
}

/** The user's stored state of a hook. */
export interface HookState {
  readonly enabled: boolean | null;
  readonly trustedHash: string | null;
}

/**
 * From user and session-flag layers only; each member comes from the highest layer that sets it. Malformed
 * entries are ignored.
 */
export function readHookStates(layers: readonly Layer[]): ReadonlyMap<string, HookState> {
  const states = new Map<string, HookState>();
  for (const [written, entry] of layers.flatMap(statesIn)) {
    const key = written.trim();
    const state = parseState(entry);
    if (state === null || key === "") continue;
    const below = states.get(key);
    states.set(key, {
      enabled: state.enabled ?? below?.enabled ?? null,
      trustedHash: state.trustedHash ?? below?.trustedHash ?? null,
    });
  }
  return states;
}

function statesIn({ source, written }: Layer): readonly (readonly [key: string, entry: unknown])[] {
  if (source.type !== "user" && source.type !== "sessionFlags") return [];
  const state = valueAt(written, ["hooks", "state"]);
  return isTable(state) ? Object.entries(state) : [];
}

function parseState(entry: unknown): HookState | null {
  if (!isTable(entry)) return null;
  const { enabled = null, trusted_hash: trustedHash = null } = entry as Record<string, unknown>;
  if (enabled !== null && typeof enabled !== "boolean") return null;
  if (trustedHash !== null && typeof trustedHash !== "string") return null;
  return { enabled, trustedHash };
}

export interface HookTrust {
  readonly enabled: boolean;
  readonly trustStatus: HookTrustStatus;
}

/** A hook of the administrator is always trusted and cannot be disabled. */
export function trustOf(isManaged: boolean, hash: string, state: HookState | undefined): HookTrust {
  if (isManaged) return { enabled: true, trustStatus: "managed" };
  const { enabled = null, trustedHash = null } = state ?? {};
  const known = trustedHash === hash ? "trusted" : "modified";
  return { enabled: enabled !== false, trustStatus: trustedHash === null ? "untrusted" : known };
}
