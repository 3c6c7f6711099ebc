import { isObject } from "../../base/json-object.ts";
import { PROFILES } from "../../config/built-ins.ts";
import { parseKeyPath } from "../../config/config-edit.ts";
import type { ConfigResult } from "../../config/config-error.ts";
import type { ConfigEdit, ConfigWriteResponse } from "../../protocol/generated/types.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import { isProfileAllowed } from "../../runtime/setup/requirements.ts";
import { type Handlers, unwrapConfig } from "../connections/handler.ts";
import { pageOf } from "./paging.ts";

type ConfigMethod = "config/read" | "config/value/write" | "config/batchWrite" | "configRequirements/read";

/** `onTrusted` is awaited with the keys of newly trusted hooks before the client gets its response. */
export function createConfigHandlers(
  config: ConfigSource,
  onTrusted: (keys: readonly string[]) => Promise<void>,
): Handlers<ConfigMethod> {
  async function written(edits: readonly ConfigEdit[], result: ConfigResult<ConfigWriteResponse>) {
    const response = unwrapConfig(result);
    const keys = edits.flatMap(trustedKeys);
    if (keys.length > 0) await onTrusted(keys);
    return response;
  }

  return {
    "config/read": async (params) => unwrapConfig(await (await config.get()).read(params)),
    "config/value/write": async (params) => written([params], await (await config.get()).write(params)),
    "config/batchWrite": async (params) =>
      written(params.edits, await (await config.get()).batchWrite(params)),
    "configRequirements/read": async () => unwrapConfig(await (await config.get()).requirements()),
  };
}

/** The keys of the hooks that an edit trusts. */
function trustedKeys({ keyPath, value }: ConfigEdit): string[] {
  const parsed = parseKeyPath(keyPath);
  if (!parsed.ok || parsed.path[0] !== "hooks") return [];
  const [, state, key, member] = parsed.path;
  if (state === undefined) return isObject(value) ? keysIn(value["state"]) : [];
  if (state !== "state") return [];
  if (key === undefined) return keysIn(value);
  if (member === undefined) return keysIn({ [key]: value });
  return member === "trusted_hash" && typeof value === "string" ? [key] : [];
}

function keysIn(states: unknown): string[] {
  if (!isObject(states)) return [];
  return Object.entries(states).flatMap(([key, state]) =>
    isObject(state) && typeof state["trusted_hash"] === "string" ? [key] : [],
  );
}

const BUILT_IN = Object.values(PROFILES);

export function createPermissionHandlers(config: ConfigSource): Handlers<"permissionProfile/list"> {
  return {
    async "permissionProfile/list"({ cwd, ...page }) {
      // Otherwise a configuration without a valid default profile could not be listed.
      const thread = { default_permissions: ":read-only" };
      const { values, requirements } = unwrapConfig(
        await (await config.get()).effective({ thread, ...(typeof cwd === "string" && { cwd }) }),
      );
      const own = Object.entries(values.permissions ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
      const profiles = [
        ...BUILT_IN.map((id) => ({ id, description: null, allowed: isProfileAllowed(id, requirements) })),
        ...own.map(([id, profile]) => ({
          id,
          description: descriptionOf(profile),
          allowed: isProfileAllowed(id, requirements),
        })),
      ];
      return pageOf(profiles, page, "permission profiles");
    },
  };
}

function descriptionOf(profile: unknown): string | null {
  const { description } = profile as { readonly description?: string | null };
  return description ?? null;
}
