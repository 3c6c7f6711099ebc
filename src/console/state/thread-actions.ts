/** The actions on a thread besides sending messages: for its menu, and for the palette. */
import { signal } from "@preact/signals";
import type { Client } from "../../client/browser.ts";
import type { IconName } from "../ui/icon.tsx";
import type { GuardedMethod } from "./rights.ts";
import { go, pathOf } from "./router.ts";

export interface ThreadAction {
  readonly name: string;
  readonly icon: IconName;
  readonly method: GuardedMethod;
  /** Ends when it was done, or when its dialog is open. */
  readonly run: (client: Client, threadId: string) => Promise<unknown>;
  readonly opensDialog?: true;
}

export type ThreadDialogKind = "rename" | "revert";
export const threadDialog = signal<ThreadDialogKind | null>(null);

const opens = (kind: ThreadDialogKind) => ({
  opensDialog: true as const,
  async run() {
    threadDialog.value = kind;
  },
});

/** Loads the thread: it does no harm where it is loaded already. */
export const ensureLoaded = (client: Client, threadId: string): Promise<unknown> =>
  client.request("thread/resume", { threadId, excludeTurns: true });

export const THREAD_ACTIONS: readonly ThreadAction[] = [
  { name: "Rename…", icon: "form", method: "thread/name/set", ...opens("rename") },
  {
    name: "Fork",
    icon: "fork",
    method: "thread/fork",
    async run(client, threadId) {
      const { thread } = await client.request("thread/fork", { threadId, excludeTurns: true });
      go(pathOf("threads", thread.id));
    },
  },
  { name: "Revert…", icon: "back", method: "thread/revert", ...opens("revert") },
  {
    name: "Review the changes",
    icon: "search",
    method: "review/start",
    async run(client, threadId) {
      await ensureLoaded(client, threadId);
      await client.request("review/start", { threadId, target: { type: "uncommittedChanges" } });
    },
  },
  {
    name: "Summarise the history",
    icon: "list",
    method: "thread/compact/start",
    async run(client, threadId) {
      await ensureLoaded(client, threadId);
      await client.request("thread/compact/start", { threadId });
    },
  },
  {
    name: "Archive",
    icon: "file",
    method: "thread/archive",
    async run(client, threadId) {
      await client.request("thread/archive", { threadId });
      go(pathOf("threads"));
    },
  },
];
