import { isRefusal, type Refusal } from "../../base/refusal.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { Thread as ThreadView, ThreadWaiting, Turn } from "../../protocol/generated/types.ts";
import type { StoredThread, ThreadStore } from "../../store/thread-store.ts";
import { unwrapStored } from "../connections/handler.ts";

// Shared by the handlers of stored threads: wire views of threads, and histories.

/** The wire view of a thread that is not loaded. */
function show({ threadId, facts, details, recencyAtMs, location }: StoredThread): ThreadView {
  const seconds = (ms: number) => Math.floor(ms / 1000);
  return {
    id: threadId,
    environments: null,
    extra: null,
    sessionId: facts.sessionId || threadId,
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
    recencyAt: seconds(recencyAtMs),
    status: { type: "notLoaded" },
    path: location,
    cwd: facts.cwd,
    cliVersion: facts.cliVersion,
    originator: facts.originator === "" ? null : facts.originator,
    canAcceptDirectInput: null,
    threadSource: facts.threadSource,
    ...showAgent(facts),
    ...(facts.owner !== null && { owner: facts.owner }),
    gitInfo: unlessEmpty(details.gitInfo ?? facts.gitInfo),
    name: details.name,
    daybreakEnabled: details.daybreakEnabled,
    turns: [],
  };
}

/** Old files name an agent only in their `source`. */
function showAgent({ source, agentNickname, agentRole }: StoredThread["facts"]) {
  const agent = typeof source === "object" && "subAgent" in source ? source.subAgent : null;
  if (agent === null || typeof agent !== "object" || !("thread_spawn" in agent))
    return { source, agentNickname, agentRole };
  const spawn = { ...NAMELESS, ...agent.thread_spawn };
  return {
    source: { subAgent: { thread_spawn: spawn } },
    agentNickname: agentNickname ?? spawn.agent_nickname,
    agentRole: agentRole ?? spawn.agent_role,
  };
}

const NAMELESS = { agent_path: null, agent_nickname: null, agent_role: null };

/** Null for an object whose members are all null. */
function unlessEmpty<T extends object>(info: T | null): T | null {
  return info !== null && Object.values(info).some((value) => value !== null) ? info : null;
}

/** The wire view of a stored thread, with live members if it is loaded. */
export function showStored(engine: Pick<Engine, "find">, entry: StoredThread): ThreadView {
  const view = show(entry);
  const loaded = engine.find(view.id);
  if (loaded === undefined) return view;
  return { ...view, ...liveMembers(loaded) };
}

/** The wire view of a loaded thread; `entry` is null while the thread has no file. */
export function showLoaded(thread: Thread, entry: StoredThread | null): ThreadView {
  const live = thread.view();
  if (entry === null) return live;
  const view = show(entry);
  return { ...view, ...liveMembers(thread), canAcceptDirectInput: live.canAcceptDirectInput };
}

/** Members that may differ from the file while the thread is loaded. */
function liveMembers(thread: Thread) {
  const { status, environments, model, cwd } = thread.view();
  const waiting = thread.waiting();
  return { status, environments, model, cwd, ...(waiting !== null && { waiting }) };
}

/** Threads that are not loaded, and whose turns wait for answers, by id. */
export type WaitingThreads = ReadonlyMap<string, ThreadWaiting>;

export function withWaiting(view: ThreadView, waiting: WaitingThreads): ThreadView {
  const own = waiting.get(view.id);
  return own === undefined ? view : { ...view, waiting: own };
}

/** A turn that waits is in progress, although no process has it. */
export function withWaitingTurn(turns: readonly Turn[], waiting: ThreadWaiting | undefined): Turn[] {
  if (waiting === undefined) return [...turns];
  return turns.map((turn) =>
    turn.id === waiting.turnId && turn.status === "interrupted" && turn.completedAt === null
      ? { ...turn, status: "inProgress" }
      : turn,
  );
}

/** Adds the running hooks to the active turn: the store has only completed ones. */
export function withRunningHooks(turns: readonly Turn[], thread: Thread | undefined): Turn[] {
  const active = thread?.activeTurn() ?? null;
  if (active === null) return [...turns];
  return turns.map((turn) => (turn.id === active.id ? { ...turn, hookRuns: active.hookRuns } : turn));
}

const EVERYTHING = 1_000_000;

/** All turns of a thread with all items, oldest first; empty for a thread without a file. */
export async function readWholeHistory(threadStore: ThreadStore, id: string): Promise<Turn[]> {
  const page = await threadStore.turns(id, { direction: "asc", itemsView: "full", limit: EVERYTHING });
  return [...(acceptPage(page)?.data ?? [])];
}

/** Returns the page, or null for a thread without a file. Throws other refusals as errors of the protocol. */
export function acceptPage<P extends object>(answer: P): Exclude<P, Refusal> | null {
  return isRefusal(answer) && answer.reason === "missing" ? null : unwrapStored(answer);
}

/** The notice to clients that request a whole history. */
export const HYDRATION_NOTICE = {
  summary:
    "Full-history hydration is deprecated for paginated threads; use `excludeTurns: true`, then page with `thread/turns/list` and `thread/items/list`.",
  details: null,
};
