import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { ConfigSource } from "./config-source.ts";

/** The address of the store that the configuration names: a database, or the home. */
export function configuredStore({ store }: Pick<ConfigValues, "store">, home: string): string {
  return store.url ?? home;
}

/** The home where the configuration is invalid, which keeps a server from opening any store. */
export async function findStoreAddress(config: Pick<ConfigSource, "home" | "get">): Promise<string> {
  const effective = await (await config.get()).effective();
  return effective.ok ? configuredStore(effective.value.values, config.home) : config.home;
}
