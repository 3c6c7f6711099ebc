import type { Engine } from "../../engine/engine.ts";
import type { Handlers } from "../connections/handler.ts";
import type { Subscriptions } from "../connections/subscriptions.ts";
import { parseThreadId } from "../threads/thread-id.ts";

export interface LoadedThreadsOptions {
  readonly engine: Engine;
  readonly subscriptions: Subscriptions;
}

export function createLoadedThreadHandlers({
  engine,
  subscriptions,
}: LoadedThreadsOptions): Handlers<"thread/loaded/list" | "thread/unsubscribe"> {
  return {
    /** Ids are sorted, and the cursor is the last id of a page, so that a page is right whatever loads meanwhile. */
    "thread/loaded/list"({ cursor, limit }) {
      const all = engine.loaded().sort();
      const rest = cursor === undefined || cursor === null ? all : all.filter((id) => id > cursor);
      const data = rest.slice(0, Math.max(1, limit ?? rest.length));
      return { data, nextCursor: data.length < rest.length ? (data.at(-1) ?? null) : null };
    },

    "thread/unsubscribe"({ threadId }, { connection }) {
      const id = parseThreadId(threadId);
      if (engine.find(id) === undefined) return { status: "notLoaded" };
      return { status: subscriptions.remove(id, connection) ? "unsubscribed" : "notSubscribed" };
    },
  };
}
