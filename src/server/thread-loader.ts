import { BASE_INSTRUCTIONS } from "../engine/context/base-instructions.ts";
import { changeSettings } from "../engine/settings.ts";
import type { Thread } from "../engine/thread-options.ts";
import type { ThreadStartParams } from "../protocol/generated/types.ts";
import { peerVersion } from "../protocol/peer-version.ts";
import type { History } from "../store/history/history.ts";
import type { Refusal } from "../store/history/refusal.ts";
import type { ForkOrigin, OpenedThread } from "../store/history/writing.ts";
import { readOfferedTools } from "../tools/dynamic/offered-tools.ts";
import { readGitInfo } from "./git-info.ts";
import { invalidRequest } from "./handler.ts";
import { type Loading, loadThread, type ThreadLoaderOptions } from "./load-thread.ts";
import { recallThread } from "./recall-thread.ts";
import {
  type Resolved,
  resolveThread,
  resolveTrusting,
  type ThreadWishes,
  withKnownProvider,
} from "./thread-resolution.ts";

/** Loads threads as the configuration and their clients say. */
export interface ThreadLoader {
  start(params: ThreadStartParams): Promise<Thread>;
  /** A thread that is stored and not loaded. */
  resume(threadId: string, wishes: ThreadWishes, options: { readonly takeOver: boolean }): Promise<Thread>;
  /** A new thread that begins with a part of another. */
  fork(threadId: string, wishes: ThreadWishes, boundary: ForkBoundary): Promise<Thread>;
}

export type ForkBoundary = Parameters<History["fork"]>[1];

export function createThreadLoader(options: ThreadLoaderOptions): ThreadLoader {
  const { createId } = options;
  const load = (loading: Loading) => loadThread(loading, options);

  return {
    async start(params) {
      const resolved = await resolveTrusting(params, options);
      const threadId = createId();
      const dynamicTools = readDynamicTools(params.dynamicTools ?? []);
      const origin = describeOrigin(threadId, resolved, params, options);
      const isKept = params.ephemeral !== true;
      const journal = isKept
        ? (await options.history()).create({ ...origin, dynamicTools, historyMode: "paginated" })
        : null;
      return load({
        threadId,
        resolved,
        wishes: params,
        dynamicTools,
        journal,
        resumed: null,
        origin: { ...origin, forkedFromId: null, beginning: "new" },
      });
    },

    async resume(threadId, wishes, { takeOver }) {
      const opened = accept(await (await options.history()).open(threadId, { takeOver }));
      try {
        // Whoever waited for these answers has ended, or the thread could not have been opened.
        await (await options.store.get()).decisions.closeUnanswered(threadId, options.clock.now());
        const recalled = recallThread(opened, wishes);
        const resolved = await resolveThread(await withKnownProvider(recalled.wishes, options), options);
        const settings = changeSettings(resolved.settings, recalled.change);
        const { facts } = opened;
        const thread = await load({
          threadId,
          resolved: { ...resolved, settings },
          wishes,
          dynamicTools: Array.isArray(facts.dynamicTools) ? readDynamicTools(facts.dynamicTools) : [],
          journal: opened.journal,
          resumed: recalled.resumed,
          origin: {
            originator: facts.originator,
            threadSource: facts.threadSource,
            forkedFromId: facts.forkedFromId,
            beginning: "cold_resume",
            git: facts.gitInfo,
          },
        });
        const readState = (await (await options.history()).readStates([threadId])).get(threadId);
        if (readState !== undefined) thread.readState.become(readState);
        return thread;
      } catch (error) {
        await opened.journal.close();
        throw error;
      }
    },

    async fork(sourceId, wishes, boundary) {
      const history = await options.history();
      const source = await history.read(sourceId);
      const asked = { ...wishes, cwd: wishes.cwd ?? source?.row.facts.cwd ?? null };
      const resolved = await resolveThread(asked, options);
      const threadId = createId();
      const origin = describeOrigin(threadId, resolved, asked, options);
      const opened = accept(await history.fork(sourceId, boundary, origin));
      const { resumed } = recallThread(opened, asked);
      return load({
        threadId,
        resolved,
        wishes: asked,
        dynamicTools: [],
        journal: opened.journal,
        resumed: { ...resumed, createdAtMs: origin.createdAtMs, updatedAtMs: origin.createdAtMs },
        origin: { ...origin, forkedFromId: sourceId, beginning: "warm_fork" },
      });
    },
  };
}

/** What the first line of a new thread says of it. */
function describeOrigin(
  threadId: string,
  { settings }: Resolved,
  wishes: ThreadWishes,
  { identity, clock }: ThreadLoaderOptions,
) {
  return {
    threadId,
    createdAtMs: clock.now(),
    cwd: settings.cwd,
    workspaceRoots: [settings.cwd],
    originator: identity.originator,
    version: peerVersion,
    source: "vscode",
    threadSource: wishes.threadSource ?? null,
    modelProvider: settings.modelProvider,
    baseInstructions: settings.baseInstructions ?? BASE_INSTRUCTIONS,
    git: readGitInfo(settings.cwd),
  } satisfies ForkOrigin;
}

function accept(opened: OpenedThread | Refusal): OpenedThread {
  if (opened.kind === "refused") throw invalidRequest(opened.message);
  return opened;
}

function readDynamicTools(given: NonNullable<ThreadStartParams["dynamicTools"]>) {
  const read = readOfferedTools(given);
  if (read.kind === "wrong") throw invalidRequest(read.message);
  return read.tools;
}
