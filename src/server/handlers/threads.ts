import type { Engine } from "../../engine/engine.ts";
import type { Message, Thread } from "../../engine/thread.ts";
import type { ThreadStartResponse, TurnStartParams } from "../../protocol/generated/types.ts";
import { type Handlers, invalidRequest } from "../handler.ts";
import type { Notifier } from "../notifier.ts";
import type { Subscriptions } from "../subscriptions.ts";
import { parseThreadId } from "../thread-id.ts";
import type { ThreadStarter } from "../thread-starter.ts";
import { refuseInput } from "../user-input.ts";

export interface ThreadHandlersOptions {
  readonly engine: Engine;
  readonly subscriptions: Subscriptions;
  readonly notifier: Notifier;
  readonly threads: () => Promise<ThreadStarter>;
}

type ThreadMethod =
  | "thread/start"
  | "thread/loaded/list"
  | "thread/unsubscribe"
  | "turn/start"
  | "turn/steer"
  | "turn/interrupt";

export function createThreadHandlers(options: ThreadHandlersOptions): Handlers<ThreadMethod> {
  const { engine, subscriptions, notifier, threads } = options;

  function findThread(text: string): Thread {
    const id = parseThreadId(text);
    const thread = engine.find(id);
    if (thread === undefined) throw invalidRequest(`thread not found: ${id}`);
    return thread;
  }

  return {
    async "thread/start"(params, { connection, afterReply }) {
      const thread = await (await threads()).start(params);
      subscriptions.add(thread.id, connection);
      const view = thread.view();
      afterReply(() => notifier.toAll("thread/started", { thread: view }));
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

    /** On a busy thread it joins the running turn, as `turn/steer` does. */
    async "turn/start"(params, { afterReply }) {
      const thread = findThread(params.threadId);
      refuseInput(params.input);
      const message = toMessage(params);
      const running = thread.activeTurn();
      if (running !== null) {
        afterReply(() => thread.steer(message));
        return { turn: running };
      }
      const { turn, begin } = thread.accept(message);
      await (await threads()).record(thread);
      afterReply(begin);
      return { turn };
    },

    "turn/steer"(params, { afterReply }) {
      const thread = findThread(params.threadId);
      if (params.input.length === 0) throw invalidRequest("input must not be empty");
      refuseInput(params.input);
      const { activeTurnId: active } = thread;
      if (active === null) throw invalidRequest("no active turn to steer");
      if (active !== params.expectedTurnId) {
        throw invalidRequest(`expected active turn id \`${params.expectedTurnId}\` but found \`${active}\``);
      }
      afterReply(() => thread.steer(toMessage(params)));
      return { turnId: active };
    },

    "turn/interrupt"({ threadId, turnId }) {
      const thread = findThread(threadId);
      const active = thread.activeTurnId;
      if (active === null) throw invalidRequest("no active turn to interrupt");
      if (active !== turnId) throw invalidRequest(`expected active turn id ${turnId} but found ${active}`);
      thread.interrupt();
      return {};
    },
  };
}

function toMessage(
  params: Pick<TurnStartParams, "input" | "clientUserMessageId" | "responsesapiClientMetadata">,
): Message {
  const { input, clientUserMessageId, responsesapiClientMetadata } = params;
  return {
    input,
    clientUserMessageId: clientUserMessageId ?? null,
    clientMetadata: responsesapiClientMetadata ?? null,
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
    activePermissionProfile:
      settings.permissionProfile === null ? null : { id: settings.permissionProfile, extends: null },
    reasoningEffort: settings.effort,
    multiAgentMode: "explicitRequestOnly",
  };
}
