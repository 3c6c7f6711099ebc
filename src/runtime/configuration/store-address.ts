import type { ConfigValues } from "../../config/schema/config-schema.ts";

/** The address of the store that the configuration names: a database, or the home. */
export function configuredStore({ store }: Pick<ConfigValues, "store">, home: string): string {
  return store.url ?? home;
}
