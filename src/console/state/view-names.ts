/** The names of the views, their icons, and the letters that go to them after G. */
import type { IconName } from "../ui/icon.tsx";
import type { View } from "./router.ts";

interface ViewName {
  readonly name: string;
  readonly icon: IconName;
  readonly letter: string;
}

export const VIEW_NAMES: Readonly<Record<View, ViewName>> = {
  inbox: { name: "Inbox", icon: "inbox", letter: "i" },
  threads: { name: "Threads", icon: "thread", letter: "t" },
  queue: { name: "Queue", icon: "queue", letter: "q" },
  hooks: { name: "Hooks", icon: "hook", letter: "h" },
  decisions: { name: "Policy and decisions", icon: "shield", letter: "p" },
  usage: { name: "Usage", icon: "chart", letter: "u" },
  server: { name: "Server", icon: "server", letter: "s" },
};

export const keysOfView = (view: View): string => `G ${VIEW_NAMES[view].letter.toUpperCase()}`;
