// Every key that config.toml may have. Validation, `config/read` and the reference documentation
// all derive from this table.
import type { ConfigFault } from "../config-fault.ts";
import type { TomlTable, TomlValue } from "../toml-value.ts";
import { clientKeys } from "./client-keys.ts";
import { features } from "./features.ts";
import { heddleKeys } from "./heddle-keys.ts";
import type { Kind, NodeTable, Path, Reading, ValueOf } from "./kind.ts";
import { lifecycleKeys } from "./lifecycle-keys.ts";
import { modelKeys } from "./model-keys.ts";
import { profileKeys } from "./profile-keys.ts";
import { safetyKeys } from "./safety-keys.ts";
import { optional, table } from "./table.ts";
import { toolKeys } from "./tool-keys.ts";

export const configSchema = table("ConfigToml", {
  ...modelKeys,
  ...safetyKeys,
  ...toolKeys,
  ...lifecycleKeys,
  ...clientKeys,
  ...profileKeys,
  features: optional(features, "Feature flags by name."),
  ...heddleKeys,
});

/** The effective configuration in JSON form, every default filled in. */
export type ConfigValues = ValueOf<typeof configSchema>;

export type Checked = { ok: true; node: NodeTable; unknownKeys: Path[] } | { ok: false; fault: ConfigFault };

interface CheckOptions {
  readonly form: Reading["form"];
  readonly resolvePath: Reading["resolvePath"];
}

export function checkTable(
  kind: Kind<unknown>,
  document: TomlTable,
  { form, resolvePath }: CheckOptions,
): Checked {
  const reading: Reading = { form, resolvePath, faults: [], unknownKeys: [] };
  const node = kind.decode(document as TomlValue, [], reading);
  const [fault] = reading.faults;
  if (fault !== undefined || node === undefined) {
    return { ok: false, fault: fault ?? { message: "invalid configuration" } };
  }
  return { ok: true, node: node as NodeTable, unknownKeys: reading.unknownKeys };
}
