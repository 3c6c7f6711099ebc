import type { ToolNamespace } from "../tool.ts";

/** What the tools about time are offered under. */
export const CLOCK: ToolNamespace = {
  name: "clock",
  description: "Tools for reading and waiting on time.",
};
