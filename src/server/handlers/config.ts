import { PROFILES } from "../../config/built-ins.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import { unwrapConfig } from "../configuration/refusal.ts";
import type { Handlers } from "../connections/handler.ts";
import { isProfileAllowed } from "../setup/required-settings.ts";
import { pageOf } from "./paging.ts";

type ConfigMethod = "config/read" | "config/value/write" | "config/batchWrite" | "configRequirements/read";

export function createConfigHandlers(config: ConfigSource): Handlers<ConfigMethod> {
  return {
    "config/read": async (params) => unwrapConfig(await (await config.get()).read(params)),
    "config/value/write": async (params) => unwrapConfig(await (await config.get()).write(params)),
    "config/batchWrite": async (params) => unwrapConfig(await (await config.get()).batchWrite(params)),
    "configRequirements/read": async () => unwrapConfig(await (await config.get()).requirements()),
  };
}

const BUILT_IN = Object.values(PROFILES);

export function createPermissionHandlers(config: ConfigSource): Handlers<"permissionProfile/list"> {
  return {
    async "permissionProfile/list"({ cwd, ...page }) {
      // A profile need not be chosen to be listed.
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
