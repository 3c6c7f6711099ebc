import { changeSettings } from "../../engine/state/settings.ts";
import { keepsSettings } from "../../engine/state/stored-settings.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { OpenedThread } from "../../store/history/writing.ts";
import type { ThreadLoaderOptions } from "./load-thread.ts";
import { readDynamicTools } from "./read-dynamic-tools.ts";
import { recallThread } from "./recall-thread.ts";
import { accept } from "./stored-threads.ts";
import type { LoaderParts, LoadingClient } from "./thread-loader.ts";
import { hasWishes, resolveKnown, type ThreadWishes, withKnownProvider } from "./thread-resolution.ts";

/** A thread that is stored and not loaded goes on as it was, but for what its client wishes. */
export async function resumeThread(
  { options, load }: LoaderParts,
  threadId: string,
  wishes: ThreadWishes,
  { takeOver, client }: { readonly takeOver: boolean; readonly client: LoadingClient },
): Promise<Thread> {
  const history = await options.history();
  const opened = accept(await history.open(threadId, { takeOver }));
  const { readState, ...recalled } = await recall(opened, threadId, wishes, options).catch(
    async (error: unknown) => {
      await opened.journal.close();
      throw error;
    },
  );
  const thread = await load({ threadId, wishes, journal: opened.journal, ...recalled }, client);
  if (readState !== undefined) thread.readState.become(readState);
  return thread;
}

/** What the thread goes on with. */
async function recall(
  opened: OpenedThread,
  threadId: string,
  wishes: ThreadWishes,
  options: ThreadLoaderOptions,
) {
  // Whoever waited for these answers has ended, or the thread could not have been opened.
  await (await options.store.get()).decisions.closeUnanswered(threadId, options.clock.now());
  const recalled = recallThread(opened, wishes);
  const known = await withKnownProvider(recalled.wishes, options);
  const resolved = await resolveKnown(known, wishes, options);
  const settings = changeSettings(resolved.settings, recalled.change);
  const { facts } = opened;
  // A file without settings gets them when there are some to remember.
  const isKept = facts.settings === null ? !hasWishes(wishes) : keepsSettings(facts.settings, settings);
  const { originator, threadSource, forkedFromId, historyMode, gitInfo: git } = facts;
  return {
    resolved: { ...resolved, settings },
    dynamicTools: Array.isArray(facts.dynamicTools) ? readDynamicTools(facts.dynamicTools) : [],
    recordedModel: facts.model,
    resumed: { ...recalled.resumed, keepsSettings: isKept },
    origin: {
      originator,
      threadSource,
      forkedFromId,
      historyMode,
      git,
      beginning: "cold_resume" as const,
    },
    readState: (await (await options.history()).readStates([threadId])).get(threadId),
  };
}
