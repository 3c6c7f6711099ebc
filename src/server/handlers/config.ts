import type { Configuration } from "../../config/configuration.ts";
import type { ConfigReadResponse } from "../../protocol/generated/types.ts";
import { unwrapConfig } from "../config-answer.ts";
import type { Handlers } from "../handler.ts";

type ConfigMethod = "config/read" | "config/value/write" | "config/batchWrite" | "configRequirements/read";

export function createConfigHandlers(config: Configuration): Handlers<ConfigMethod> {
  return {
    "config/read": async (params) => unwrapConfig(await config.read(params)) as ConfigReadResponse,
    "config/value/write": async (params) => unwrapConfig(await config.write(params)),
    "config/batchWrite": async (params) => unwrapConfig(await config.batchWrite(params)).response,
    "configRequirements/read": async () => unwrapConfig(await config.requirements()),
  };
}
