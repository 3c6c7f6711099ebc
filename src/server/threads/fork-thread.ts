import { settingsApplied } from "../../engine/history/turn-lines.ts";
import { TURN_ABORTED } from "../../engine/items/text-message.ts";
import { changeSettings } from "../../engine/state/settings.ts";
import type { Thread } from "../../engine/thread-options.ts";
import { noFacts } from "../../store/rollout/thread-facts.ts";
import { recallPermissions, recallProfile, recallThread } from "./recall-thread.ts";
import { accept } from "./stored-threads.ts";
import type { ForkBoundary, LoaderParts, LoadingClient } from "./thread-loader.ts";
import { describeOrigin } from "./thread-origin.ts";
import { resolveKnown, type ThreadWishes } from "./thread-resolution.ts";

/** A new thread that begins with a part of another, and has its permissions. */
export async function forkThread(
  { options, load }: LoaderParts,
  sourceId: string,
  wishes: ThreadWishes,
  { boundary, client }: { readonly boundary: ForkBoundary; readonly client: LoadingClient },
): Promise<Thread> {
  const history = await options.history();
  const facts = (await history.read(sourceId))?.row.facts ?? noFacts;
  const permissions = recallProfile(facts, wishes);
  const asked = { ...wishes, cwd: wishes.cwd ?? (facts.cwd || null) };
  const recalled = permissions === null ? asked : { ...asked, permissions };
  const found = await resolveKnown(recalled, wishes, options);
  const settings = changeSettings(found.settings, recallPermissions(facts, wishes));
  const threadId = options.createId();
  const resolved = { ...found, settings };
  const origin = describeOrigin(threadId, resolved, asked, options);
  const opened = accept(
    wishes.ephemeral === true
      ? await history.copy(sourceId, boundary, TURN_ABORTED)
      : await history.fork(sourceId, boundary, {
          ...origin,
          opening: [settingsApplied(threadId, settings)],
          marker: TURN_ABORTED,
        }),
  );
  const { resumed } = recallThread(opened, asked);
  const { createdAtMs } = origin;
  return load(
    {
      threadId,
      resolved,
      wishes: asked,
      dynamicTools: [],
      journal: "journal" in opened ? opened.journal : null,
      recordedModel: null,
      resumed: { ...resumed, createdAtMs, updatedAtMs: createdAtMs, keepsSettings: true },
      origin: {
        ...origin,
        historyMode: opened.facts.historyMode,
        forkedFromId: sourceId,
        beginning: "warm_fork",
      },
    },
    client,
  );
}
