/** Which hooks the feature flag `hooks` disables. */
import type { Effective } from "../../config/get-effective.ts";
import { valueAt } from "../../config/toml/toml-value.ts";

/** Hooks of the administrator always run. */
export type DisabledHooks = "nothing" | "project" | "unmanaged";

/** The second is the legacy name. */
const NAMES = ["hooks", "codex_hooks"];

/** A project can only disable its own hooks, not the user's guards. */
export function findDisabledHooks({
  features,
  layers,
  requirements,
}: Pick<Effective, "features" | "layers" | "requirements">): DisabledHooks {
  if (features.get("hooks") ?? true) return "nothing";
  const settings = layers.flatMap(({ source, table, disabledReason }) =>
    disabledReason === undefined
      ? NAMES.map((name) => ({ source, value: valueAt(table, ["features", name]) })).filter(
          ({ value }) => typeof value === "boolean",
        )
      : [],
  );
  const isRequired = NAMES.some((name) => valueAt(requirements?.written ?? {}, ["features", name]) === false);
  const ofUser = settings.filter(({ source }) => source.type !== "project").at(-1)?.value ?? true;
  return settings.at(-1)?.source.type === "project" && ofUser === true && !isRequired
    ? "project"
    : "unmanaged";
}
