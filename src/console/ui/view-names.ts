/** What the views are called, and their icons. */
import type { View } from "../state/router.ts";
import type { IconName } from "./icon.tsx";

export interface ViewName {
  readonly name: string;
  readonly icon: IconName;
}

export const VIEW_NAMES: Readonly<Record<View, ViewName>> = {
  inbox: { name: "Inbox", icon: "inbox" },
  threads: { name: "Threads", icon: "thread" },
  queue: { name: "Queue", icon: "queue" },
  hooks: { name: "Hooks", icon: "hook" },
  decisions: { name: "Policy and decisions", icon: "shield" },
  usage: { name: "Usage", icon: "chart" },
  server: { name: "Server", icon: "server" },
};
