/** Which hooks the feature `hooks` switches off. */
import type { Effective } from "../../config/get-effective.ts";
import { valueAt } from "../../config/toml/toml-value.ts";

/** Those of the administrator run in every case. */
export type SwitchedOff = "nothing" | "project" | "unmanaged";

/** The older one is still understood. */
const NAMES = ["hooks", "codex_hooks"];

/** What a repository switches off is its own: the user's guards are not for it to end. */
export function switchedOff({
  features,
  layers,
  requirements,
}: Pick<Effective, "features" | "layers" | "requirements">): SwitchedOff {
  if (features.get("hooks") ?? true) return "nothing";
  const said = layers.flatMap(({ source, table, disabledReason }) =>
    disabledReason === undefined
      ? NAMES.map((name) => ({ source, value: valueAt(table, ["features", name]) })).filter(
          ({ value }) => typeof value === "boolean",
        )
      : [],
  );
  const isRequired = NAMES.some((name) => valueAt(requirements?.written ?? {}, ["features", name]) === false);
  const ofUser = said.filter(({ source }) => source.type !== "project").at(-1)?.value ?? true;
  return said.at(-1)?.source.type === "project" && ofUser === true && !isRequired ? "project" : "unmanaged";
}
