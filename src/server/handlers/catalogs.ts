import type { Handlers } from "../connections/handler.ts";

/** Lists in which Heddle has nothing of its own to offer, and one that is the same everywhere. */
export const catalogHandlers: Handlers<"collaborationMode/list" | "plugin/list" | "app/list"> = {
  "collaborationMode/list": () => ({
    data: [
      { name: "Plan", mode: "plan", model: null, reasoning_effort: "medium" },
      { name: "Default", mode: "default", model: null, reasoning_effort: null },
    ],
  }),
  "plugin/list": () => ({ marketplaces: [], marketplaceLoadErrors: [], featuredPluginIds: [] }),
  "app/list": () => ({ data: [], nextCursor: null }),
};
