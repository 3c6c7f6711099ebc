import { isDeepStrictEqual } from "node:util";
import { once } from "../base/once.ts";
import { BASE_INSTRUCTIONS } from "../engine/context/base-instructions.ts";
import { changeSettings, workspaceRootsOf } from "../engine/settings.ts";
import type { Thread } from "../engine/thread-options.ts";
import type { ConfigWarningNotification, ThreadStartParams } from "../protocol/generated/types.ts";
import { peerVersion } from "../protocol/peer-version.ts";
import type { History } from "../store/history/history.ts";
import type { Refusal } from "../store/history/refusal.ts";
import type { ForkOrigin, OpenedThread } from "../store/history/writing.ts";
import { readOfferedTools } from "../tools/dynamic/offered-tools.ts";
import { readGitInfo } from "./git-info.ts";
import { invalidRequest } from "./handler.ts";
import { type Loading, loadThread, type ThreadLoaderOptions } from "./load-thread.ts";
import { openRules, rulesWarning } from "./open-rules.ts";
import { recallThread } from "./recall-thread.ts";
import { comply } from "./required-settings.ts";
import {
  type Resolved,
  resolveThread,
  resolveTrusting,
  type ThreadWishes,
  withKnownProvider,
} from "./thread-resolution.ts";

/** Loads threads as the configuration and their clients say. */
export interface ThreadLoader {
  start(params: ThreadStartParams, warn: Warn): Promise<Thread>;
  /** A thread that is stored and not loaded. */
  resume(
    threadId: string,
    wishes: ThreadWishes,
    options: { readonly takeOver: boolean; readonly warn: Warn },
  ): Promise<Thread>;
  /** A new thread that begins with a part of another. */
  fork(
    threadId: string,
    wishes: ThreadWishes,
    options: { readonly boundary: ForkBoundary; readonly warn: Warn },
  ): Promise<Thread>;
}

/** Tells whoever asked for the thread what is configured or wanted and does not count. */
type Warn = (warning: ConfigWarningNotification) => void;

export type ForkBoundary = Parameters<History["fork"]>[1];

export function createThreadLoader(options: ThreadLoaderOptions): ThreadLoader {
  const { createId } = options;
  const rulesOf = ({ effective, settings }: Resolved) =>
    once(() => openRules(effective, { home: options.config.home, cwd: settings.cwd }, options.log)).get;
  const load = (given: Omit<Loading, "rules">, warn: Warn, rules = rulesOf(given.resolved)) => {
    const { settings, warnings } = comply(given.resolved.settings, given.resolved.effective.requirements);
    for (const summary of warnings) warn({ summary, details: null });
    return loadThread({ ...given, resolved: { ...given.resolved, settings }, rules }, options);
  };

  return {
    async start(params, warn) {
      const resolved = await resolveTrusting(params, options);
      const rules = rulesOf(resolved);
      const warning = rulesWarning(await rules());
      if (warning !== null && !isDeepStrictEqual(warning, await options.rulesWarning())) warn(warning);
      const threadId = createId();
      const dynamicTools = readDynamicTools(params.dynamicTools ?? []);
      const origin = describeOrigin(threadId, resolved, params, options);
      const historyMode = params.historyMode ?? "paginated";
      const isKept = params.ephemeral !== true;
      const journal = isKept
        ? (await options.history()).create({ ...origin, dynamicTools, historyMode })
        : null;
      const loading = { threadId, resolved, wishes: params, dynamicTools, journal, resumed: null };
      return load(
        { ...loading, origin: { ...origin, historyMode, forkedFromId: null, beginning: "new" } },
        warn,
        rules,
      );
    },

    async resume(threadId, wishes, { takeOver, warn }) {
      const opened = accept(await (await options.history()).open(threadId, { takeOver }));
      try {
        // Whoever waited for these answers has ended, or the thread could not have been opened.
        await (await options.store.get()).decisions.closeUnanswered(threadId, options.clock.now());
        const recalled = recallThread(opened, wishes);
        const resolved = await resolveThread(await withKnownProvider(recalled.wishes, options), options);
        const settings = changeSettings(resolved.settings, recalled.change);
        const { facts } = opened;
        const { originator, threadSource, forkedFromId, historyMode, gitInfo: git } = facts;
        const thread = await load(
          {
            threadId,
            resolved: { ...resolved, settings },
            wishes,
            dynamicTools: Array.isArray(facts.dynamicTools) ? readDynamicTools(facts.dynamicTools) : [],
            journal: opened.journal,
            resumed: recalled.resumed,
            origin: { originator, threadSource, forkedFromId, historyMode, git, beginning: "cold_resume" },
          },
          warn,
        );
        const readState = (await (await options.history()).readStates([threadId])).get(threadId);
        if (readState !== undefined) thread.readState.become(readState);
        return thread;
      } catch (error) {
        await opened.journal.close();
        throw error;
      }
    },

    async fork(sourceId, wishes, { boundary, warn }) {
      const history = await options.history();
      const source = await history.read(sourceId);
      const asked = { ...wishes, cwd: wishes.cwd ?? source?.row.facts.cwd ?? null };
      const resolved = await resolveThread(asked, options);
      const threadId = createId();
      const origin = describeOrigin(threadId, resolved, asked, options);
      const opened = accept(await history.fork(sourceId, boundary, origin));
      const { resumed } = recallThread(opened, asked);
      const { createdAtMs } = origin;
      return load(
        {
          threadId,
          resolved,
          wishes: asked,
          dynamicTools: [],
          journal: opened.journal,
          resumed: { ...resumed, createdAtMs, updatedAtMs: createdAtMs },
          origin: {
            ...origin,
            historyMode: opened.facts.historyMode,
            forkedFromId: sourceId,
            beginning: "warm_fork",
          },
        },
        warn,
      );
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
    workspaceRoots: workspaceRootsOf(settings),
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
