import type { ConfigSource } from "../configuration/config-source.ts";
import { unwrapConfig } from "../configuration/refusal.ts";
import type { Handlers } from "../connections/handler.ts";

type ConfigMethod = "config/read" | "config/value/write" | "config/batchWrite" | "configRequirements/read";

export function createConfigHandlers(config: ConfigSource): Handlers<ConfigMethod> {
  return {
    "config/read": async (params) => unwrapConfig(await (await config.get()).read(params)),
    "config/value/write": async (params) => unwrapConfig(await (await config.get()).write(params)),
    "config/batchWrite": async (params) => unwrapConfig(await (await config.get()).batchWrite(params)),
    "configRequirements/read": async () => unwrapConfig(await (await config.get()).requirements()),
  };
}
