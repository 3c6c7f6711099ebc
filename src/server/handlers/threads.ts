import { whenReady } from "../../base/awaitable.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { ThreadResumeParams } from "../../protocol/generated/types.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import { readWithDeadline } from "../../runtime/machine/mount-check.ts";
import type { QueuedTurns } from "../../runtime/queue/queued-turns.ts";
import { describeSettings } from "../../runtime/setup/thread-settings.ts";
import type { ThreadService } from "../../runtime/thread-service.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import type { LoadingClient } from "../../runtime/threads/thread-loader.ts";
import { refusePath } from "../../store/file-facet.ts";
import type { Store } from "../../store/store.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import { type ClientConnection, mcpExtensionsOf } from "../connections/client-connection.ts";
import { type Handlers, invalidRequest, unwrap } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";
import type { OutboundRequests } from "../connections/outbound-requests.ts";
import { onlyOwn } from "../connections/own-threads.ts";
import type { ThreadSubscriptions } from "../connections/thread-subscriptions.ts";
import type { Replays } from "../streams/replays.ts";
import type { HistoryEncoding } from "./large-history.ts";
import { createForkHandler } from "./thread-fork.ts";
import { createResumeHandler } from "./thread-resume.ts";

export interface ThreadHandlersOptions extends HistoryEncoding {
  readonly engine: Engine;
  readonly subscriptions: ThreadSubscriptions;
  readonly notifier: Notifier;
  readonly requests: OutboundRequests;
  readonly threads: ThreadService;
  readonly threadStore: () => Promise<ThreadStore>;
  readonly store: () => Promise<Pick<Store, "threads" | "files">>;
  readonly config: Pick<ConfigSource, "writablePaths">;
  readonly queueNotice: QueuedTurns["noticeOf"];
  readonly replays: Replays;
}

/** Shared by the handlers that create and load threads. */
export interface LoadingParts {
  readonly findStored: (params: Pick<ThreadResumeParams, "threadId" | "path">) => Promise<string>;
  readonly clientOf: (connection: ClientConnection) => LoadingClient;
  /** Sends the configuration warnings of a thread to its subscribers. */
  readonly sendWarnings: (thread: Thread) => void;
}

type ThreadMethod = "thread/start" | "thread/resume" | "thread/fork";

export function createThreadHandlers(options: ThreadHandlersOptions): Handlers<ThreadMethod> {
  const { subscriptions, notifier, threads } = options;

  const parts: LoadingParts = {
    async findStored({ threadId, path }) {
      if (path == null || path === "") return unwrap(parseThreadId(threadId, "session id"));
      const { files } = await options.store();
      const found =
        files === null ? refusePath(path) : await readWithDeadline(path, () => files.locate(path));
      if (found.kind === "refused") throw invalidRequest(found.message);
      // The file contains permissions of the thread. A sandboxed command that can write it could extend its
      // own.
      if (options.config.writablePaths.contains(path)) throw invalidRequest(writableFault(path));
      await files?.adopt(path);
      return found.threadId;
    },
    clientOf: (connection) => ({
      subject: connection.subject,
      extensions: mcpExtensionsOf(connection),
      warn: (warning) => notifier.to([connection], "configWarning", warning),
    }),
    sendWarnings({ id: threadId, warnings }) {
      const followers = subscriptions.of(threadId);
      for (const message of warnings) notifier.to(followers, "warning", { threadId, message });
    },
  };

  return {
    async "thread/start"(params, { connection, afterResponse }) {
      const { value: thread, begin } = unwrap(await threads.create(params, parts.clientOf(connection)));
      subscriptions.add(thread.id, connection);
      const view = thread.view();
      afterResponse(() => {
        begin();
        notifier.toAll("thread/started", { thread: view });
        options.replays.announce(connection, thread.id);
        parts.sendWarnings(thread);
      });
      return { thread: view, ...describeSettings(thread) };
    },
    ...createResumeHandler(options, parts),
    ...createForkHandler(options, parts),
  };
}

function writableFault(path: string): string {
  return `${path} lies where sandboxed commands can write, so one of them may have written it: move it elsewhere`;
}

export interface LoadedThreadsOptions {
  readonly engine: Engine;
  readonly subscriptions: ThreadSubscriptions;
}

export function createLoadedThreadHandlers({
  engine,
  subscriptions,
}: LoadedThreadsOptions): Handlers<"thread/loaded/list" | "thread/unsubscribe"> {
  return {
    /**
     * Sorted by id, and the cursor is the last id of the page, so that threads loaded meanwhile do not shift
     * pages.
     */
    "thread/loaded/list"({ cursor, limit }, { connection: { own } }) {
      const all = engine.loaded().sort();
      return whenReady(own === null ? all : onlyOwn(own, all, (id) => id), (seen) => {
        const rest = cursor === undefined || cursor === null ? seen : seen.filter((id) => id > cursor);
        const data = rest.slice(0, Math.max(1, limit ?? rest.length));
        return { data, nextCursor: data.length < rest.length ? (data.at(-1) ?? null) : null };
      });
    },

    "thread/unsubscribe"({ threadId }, { connection }) {
      const id = unwrap(parseThreadId(threadId));
      const isRemoved = subscriptions.remove(id, connection);
      if (!isRemoved && engine.find(id) === undefined) return { status: "notLoaded" };
      return { status: isRemoved ? "unsubscribed" : "notSubscribed" };
    },
  };
}
