import type { ToolHooks } from "./tool-hooks.ts";

/** The tool hooks of a thread that has none configured. */
export const NO_TOOL_HOOKS: ToolHooks = {
  before: async ({ call }) => ({ kind: "proceed", call, permission: null }),
  after: async (_call, result) => result,
};
