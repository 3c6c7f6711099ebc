import type { Engine } from "../../engine/engine.ts";
import { toActiveProfile } from "../../engine/settings.ts";
import type { Thread } from "../../engine/thread.ts";
import type { ThreadStartResponse } from "../../protocol/generated/types.ts";
import type { Handlers } from "../handler.ts";
import type { Notifier } from "../notifier.ts";
import type { Subscriptions } from "../subscriptions.ts";
import { parseThreadId } from "../thread-id.ts";
import type { ThreadStarter } from "../thread-starter.ts";

export interface ThreadHandlersOptions {
  readonly engine: Engine;
  readonly subscriptions: Subscriptions;
  readonly notifier: Notifier;
  readonly threads: () => Promise<ThreadStarter>;
}

type ThreadMethod = "thread/start" | "thread/loaded/list" | "thread/unsubscribe";

export function createThreadHandlers(options: ThreadHandlersOptions): Handlers<ThreadMethod> {
  const { engine, subscriptions, notifier, threads } = options;

  return {
    async "thread/start"(params, { connection, afterReply }) {
      const starter = await threads();
      const thread = await starter.start(params);
      subscriptions.add(thread.id, connection);
      const view = thread.view();
      afterReply(() => {
        starter.startServers(thread);
        notifier.toAll("thread/started", { thread: view });
      });
      return { thread: view, ...describeSettings(thread) };
    },

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

function describeSettings({ settings, instructionSources }: Thread): Omit<ThreadStartResponse, "thread"> {
  return {
    model: settings.model,
    modelProvider: settings.modelProvider,
    serviceTier: settings.serviceTier,
    disabledPluginIds: [],
    cwd: settings.cwd,
    runtimeWorkspaceRoots: [settings.cwd],
    instructionSources: [...instructionSources],
    approvalPolicy: settings.approvalPolicy,
    approvalsReviewer: settings.approvalsReviewer,
    sandbox: settings.sandbox,
    activePermissionProfile: toActiveProfile(settings),
    reasoningEffort: settings.effort,
    multiAgentMode: "explicitRequestOnly",
  };
}
