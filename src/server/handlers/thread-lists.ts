// Lists, searches and reads stored threads, without loading or subscribing to them.

import type { Engine } from "../../engine/engine.ts";
import type {
  ConversationSummary,
  GetConversationSummaryParams,
  LegacySessionSource,
  Thread,
} from "../../protocol/generated/types.ts";
import { createThreadSummaries, type SummaryFacts } from "../../runtime/activity/thread-summaries.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import type { ThreadRefusal } from "../../runtime/configuration/thread-refusal.ts";
import type { ProviderChoice } from "../../runtime/setup/provider-models.ts";
import { readStateOf, readStatesOf } from "../../runtime/threads/read-states.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import { refusePath } from "../../store/file-facet.ts";
import { storeSource } from "../../store/lines/session-source.ts";
import type { Store } from "../../store/store.ts";
import type { StoredThread, ThreadListQuery, ThreadStore } from "../../store/thread-store.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import {
  type Handlers,
  invalidRequest,
  notSupportedYet,
  unwrap,
  unwrapStored,
} from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";
import { encodeLargeHistory, type HistoryEncoding } from "./large-history.ts";
import {
  readWholeHistory,
  showLoaded,
  showStored,
  type WaitingThreads,
  withRunningHooks,
  withWaiting,
  withWaitingTurn,
} from "./stored-threads.ts";
import { toListQuery, toSearchQuery } from "./thread-list-query.ts";

export interface ThreadListOptions extends HistoryEncoding {
  readonly engine: Engine;
  readonly notifier: Notifier;
  readonly threadStore: () => Promise<ThreadStore>;
  readonly defaultProvider: () => Promise<ProviderChoice | ThreadRefusal>;
  readonly store: () => Promise<Pick<Store, "threads" | "files" | "queue">>;
  readonly cwd: string;
  readonly config: Pick<ConfigSource, "get">;
  /** The threads, not loaded here, whose turns wait for answers. */
  readonly waitingThreads: (threadId?: string) => Promise<WaitingThreads>;
}

type ListMethod = "thread/list" | "thread/read" | "thread/search" | "getConversationSummary";

const NOTHING = { data: [], nextCursor: null, backwardsCursor: null };

const READ_HYDRATION_NOTICE = {
  summary:
    "Full-history hydration is deprecated for paginated threads; omit `includeTurns` or set it to `false`, then page with `thread/turns/list` and `thread/items/list`.",
  details: null,
};

export function createThreadListHandlers(options: ThreadListOptions): Handlers<ListMethod> {
  const { engine, notifier, cwd } = options;
  const summaries = createThreadSummaries(options);

  /** All turns at once. Clients of paginated threads get a deprecation notice. */
  async function turnsOf({ threadId, facts }: StoredThread, connection: ClientConnection) {
    const threadStore = await options.threadStore();
    if (facts.historyMode === "paginated")
      notifier.to([connection], "deprecationNotice", READ_HYDRATION_NOTICE);
    return withRunningHooks(await readWholeHistory(threadStore, threadId), engine.find(threadId));
  }

  async function summariesOf(entries: readonly StoredThread[], known: SummaryFacts) {
    return Object.fromEntries(await summaries.readAll(entries, known));
  }

  async function defaultProvider(): Promise<string> {
    return unwrap(await options.defaultProvider()).provider.id;
  }

  return {
    async "thread/list"(params, { connection }) {
      const provider = await defaultProvider();
      const query = toListQuery(params, { cwd, provider });
      if (query === null || hasNoThreads(connection)) return { ...NOTHING, readStates: {} };
      const threadStore = await options.threadStore();
      const { data, nextCursor, backwardsCursor } = unwrapStored(
        await threadStore.list({ ...query, ...ownerOf(connection) }),
      );
      const waiting = await options.waitingThreads();
      const readStates = await readStatesOf({ threadStore, engine }, data);
      const shown = params.withSummaries === true ? await summariesOf(data, { waiting, readStates }) : null;
      return {
        data: data.map((entry) => withWaiting(withProvider(showStored(engine, entry), provider), waiting)),
        readStates,
        ...(shown !== null && { summaries: shown }),
        nextCursor,
        backwardsCursor,
      };
    },

    async "thread/search"(params, { connection }) {
      if (hasNoThreads(connection)) return NOTHING;
      const threadStore = await options.threadStore();
      const found = unwrapStored(
        await threadStore.search(params.searchTerm, { ...toSearchQuery(params), ...ownerOf(connection) }),
      );
      const { nextCursor, backwardsCursor } = found;
      const data = found.data.map(({ thread: entry, snippet }) => ({
        thread: showStored(engine, entry),
        snippet,
      }));
      return { data, nextCursor, backwardsCursor };
    },

    async "thread/read"({ threadId, includeTurns = false }, { connection }) {
      const id = unwrap(parseThreadId(threadId));
      const loaded = engine.find(id);
      if (includeTurns && loaded?.view().ephemeral === true) {
        throw invalidRequest("ephemeral threads do not support includeTurns");
      }
      const threadStore = await options.threadStore();
      const entry = await threadStore.read(id);
      if (entry === null) {
        if (loaded === undefined) throw invalidRequest(`thread not loaded: ${id}`);
        if (includeTurns) throw notSupportedYet("list_turns");
        return { thread: showLoaded(loaded, null), readState: null };
      }
      const view = loaded === undefined ? showStored(engine, entry) : showLoaded(loaded, entry);
      const waiting = await options.waitingThreads(id);
      const turns = includeTurns ? withWaitingTurn(await turnsOf(entry, connection), waiting.get(id)) : [];
      const modelProvider = view.modelProvider === "" ? await defaultProvider() : view.modelProvider;
      const thread = { ...withWaiting(view, waiting), modelProvider, turns };
      const { memoryMode } = entry.details;
      const readState = await readStateOf({ threadStore, engine }, entry);
      const result = { thread, readState, ...(memoryMode !== null && { memoryMode }) };
      return encodeLargeHistory(result, options);
    },

    async getConversationSummary(params) {
      const entry = await findSummarized(await options.store(), params);
      return { summary: summarize(entry) };
    },
  };
}

/** The filter of a client that may use its own threads only. */
function ownerOf({ own }: ClientConnection): Pick<ThreadListQuery, "owner"> {
  return own === null ? {} : { owner: own.subject };
}

function hasNoThreads({ own }: ClientConnection): boolean {
  return own !== null && own.subject === null;
}

/** Files without a provider count as threads of the configured one. */
function withProvider(view: Thread, provider: string): Thread {
  return view.modelProvider === "" ? { ...view, modelProvider: provider } : view;
}

async function findSummarized(
  { threads, files }: Pick<Store, "threads" | "files">,
  params: GetConversationSummaryParams,
): Promise<StoredThread> {
  if ("conversationId" in params) {
    const id = unwrap(parseThreadId(params.conversationId));
    const entry = await threads.read(id);
    if (entry === null) throw invalidRequest(`no rollout found for conversation id ${id}`);
    return entry;
  }
  if (files === null) throw invalidRequest(refusePath(params.rolloutPath).message);
  const path = files.resolve(params.rolloutPath);
  const found = await files.locate(path);
  const entry = found.kind === "refused" ? null : await threads.read(found.threadId);
  if (entry === null) {
    throw invalidRequest(`failed to resolve rollout path \`${path}\`: file does not exist`);
  }
  return entry;
}

function summarize({ threadId, facts, location, details }: StoredThread): ConversationSummary {
  const git = details.gitInfo ?? facts.gitInfo;
  return {
    conversationId: threadId,
    path: location ?? "",
    preview: facts.preview,
    timestamp: new Date(facts.createdAtMs).toISOString(),
    updatedAt: new Date(facts.updatedAtMs).toISOString(),
    modelProvider: facts.modelProvider,
    cwd: facts.cwd,
    cliVersion: facts.cliVersion,
    // `getConversationSummary` is of the first protocol generation, which uses the source names of the files.
    source: storeSource(facts.source) as LegacySessionSource,
    gitInfo: git === null ? null : { sha: git.sha, branch: git.branch, origin_url: git.originUrl },
  };
}
