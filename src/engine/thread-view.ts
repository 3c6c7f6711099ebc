import type { ThreadStatus, Thread as ThreadView } from "../protocol/generated/types.ts";
import { peerVersion } from "../protocol/peer-methods.ts";
import { workFolderOf, workspaceRootsOf } from "./state/settings.ts";
import type { ThreadOptions } from "./thread-options.ts";

/** The mutable state of a loaded thread. */
interface ThreadFacts {
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly preview: string;
  readonly status: ThreadStatus;
  readonly path: string | null;
}

/** Converts a loaded thread to its wire view. */
export function toThreadView(
  {
    id,
    settings,
    originator,
    source,
    owner,
    threadSource,
    ephemeral,
    forkedFromId,
    git,
    historyMode,
    agent,
  }: ThreadOptions,
  facts: ThreadFacts,
): ThreadView {
  const updatedAt = Math.floor(facts.updatedAtMs / 1000);
  return {
    id,
    environments: settings.hasMachine
      ? [
          {
            environmentId: "local",
            cwd: workFolderOf(settings),
            runtimeWorkspaceRoots: [...workspaceRootsOf(settings)],
          },
        ]
      : [],
    extra: null,
    sessionId: agent?.sessionId ?? id,
    forkedFromId,
    parentThreadId: agent?.parentThreadId ?? null,
    preview: facts.preview,
    ephemeral,
    section: null,
    sectionEnteredAt: null,
    projectId: null,
    historyMode,
    modelProvider: settings.modelProvider,
    model: settings.model,
    reasoningEffort: settings.effort,
    createdAt: Math.floor(facts.createdAtMs / 1000),
    updatedAt,
    recencyAt: updatedAt,
    status: facts.status,
    path: facts.path,
    cwd: settings.cwd,
    cliVersion: peerVersion,
    originator,
    source,
    ...(owner !== null && { owner }),
    canAcceptDirectInput: true,
    threadSource,
    agentNickname: agent?.nickname ?? null,
    agentRole: agent?.role ?? null,
    gitInfo: git,
    name: null,
    daybreakEnabled: null,
    turns: [],
  };
}
