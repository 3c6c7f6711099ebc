import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/** Whether open questions outlive the server, so that the next one asks them again. */
export function keepsQuestions(
  { approvals }: Pick<ConfigValues, "approvals">,
  { asksAfterRestart }: Pick<RuntimeDeps, "asksAfterRestart">,
): boolean {
  const { after_restart: configured } = approvals;
  return configured === null ? asksAfterRestart : configured === "ask";
}
