import type { ThreadStartParams } from "../../protocol/generated/types.ts";
import { readOfferedTools } from "../../tools/dynamic/offered-tools.ts";
import { refuse } from "../configuration/refusal.ts";

export function readDynamicTools(given: NonNullable<ThreadStartParams["dynamicTools"]>) {
  const read = readOfferedTools(given);
  if (read.kind === "wrong") throw refuse(read.message);
  return read.tools;
}
