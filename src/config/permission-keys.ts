import type { Layer } from "./layer.ts";

/**
 * Whether it is a profile that says what threads may touch, and not a mode of the sandbox: both can be configured,
 * and what the highest layer names holds. Of one layer that names both, the profile does.
 */
export function namesProfile(layers: readonly Pick<Layer, "table" | "disabledReason">[]): boolean {
  const deciding = layers.findLast(
    ({ table, disabledReason }) =>
      disabledReason === undefined &&
      (Object.hasOwn(table, "default_permissions") || Object.hasOwn(table, "sandbox_mode")),
  );
  return deciding !== undefined && Object.hasOwn(deciding.table, "default_permissions");
}
