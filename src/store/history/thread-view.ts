/** A thread that is not loaded, as the wire shows it. */
import type { Thread } from "../../protocol/generated/types.ts";
import type { ThreadEntry } from "../history-index.ts";

export function toThreadView({ row, details }: ThreadEntry): Thread {
  const { facts } = row;
  const seconds = (ms: number) => Math.floor(ms / 1000);
  return {
    id: row.threadId,
    environments: null,
    extra: null,
    sessionId: facts.sessionId || row.threadId,
    forkedFromId: facts.forkedFromId,
    parentThreadId: facts.parentThreadId,
    preview: facts.preview,
    ephemeral: false,
    section: null,
    sectionEnteredAt: null,
    projectId: details.projectId,
    historyMode: facts.historyMode,
    modelProvider: facts.modelProvider,
    model: facts.model,
    reasoningEffort: facts.reasoningEffort,
    createdAt: seconds(facts.createdAtMs),
    updatedAt: seconds(facts.updatedAtMs),
    recencyAt: seconds(row.recencyAtMs),
    status: { type: "notLoaded" },
    path: row.path,
    cwd: facts.cwd,
    cliVersion: facts.cliVersion,
    originator: facts.originator === "" ? null : facts.originator,
    source: facts.source,
    canAcceptDirectInput: null,
    threadSource: facts.threadSource,
    agentNickname: facts.agentNickname,
    agentRole: facts.agentRole,
    gitInfo: unlessEmpty(details.gitInfo ?? facts.gitInfo),
    name: details.name,
    daybreakEnabled: details.daybreakEnabled,
    turns: [],
  };
}

/** A thread of which nothing is known any more has no such information at all. */
function unlessEmpty<T extends object>(info: T | null): T | null {
  return info !== null && Object.values(info).some((value) => value !== null) ? info : null;
}
