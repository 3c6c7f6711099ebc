import { keepsSettings } from "../engine/history/stored-settings.ts";
import { changeSettings } from "../engine/settings.ts";
import type { Thread } from "../engine/thread-options.ts";
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
  const opened = accept(await (await options.history()).open(threadId, { takeOver }));
  try {
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
    const thread = await load(
      {
        threadId,
        resolved: { ...resolved, settings },
        wishes,
        dynamicTools: Array.isArray(facts.dynamicTools) ? readDynamicTools(facts.dynamicTools) : [],
        journal: opened.journal,
        recordedModel: facts.model,
        resumed: { ...recalled.resumed, keepsSettings: isKept },
        origin: { originator, threadSource, forkedFromId, historyMode, git, beginning: "cold_resume" },
      },
      client,
    );
    const readState = (await (await options.history()).readStates([threadId])).get(threadId);
    if (readState !== undefined) thread.readState.become(readState);
    return thread;
  } catch (error) {
    await opened.journal.close();
    throw error;
  }
}
