import type { ToolHooks } from "./tool-hooks.ts";

/** Where no hooks are configured. */
export const NO_TOOL_HOOKS: ToolHooks = {
  before: async ({ call }) => ({ kind: "proceed", call, permission: null }),
  after: async (_call, result) => result,
};
