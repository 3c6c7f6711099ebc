import type { Layer } from "./layer.ts";

/**
 * Whether a permission profile applies instead of a sandbox mode: both can be configured, and the highest
 * layer that sets either decides. Within one layer the profile wins.
 */
export function namesProfile(layers: readonly Pick<Layer, "table" | "disabledReason">[]): boolean {
  const deciding = layers.findLast(
    ({ table, disabledReason }) =>
      disabledReason === undefined &&
      (Object.hasOwn(table, "default_permissions") || Object.hasOwn(table, "sandbox_mode")),
  );
  return deciding !== undefined && Object.hasOwn(deciding.table, "default_permissions");
}
