import type { Engine } from "../../engine/engine.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { Thread as ThreadView, Turn } from "../../protocol/generated/types.ts";
import { accept, isRefusal } from "../../runtime/threads/accept.ts";
import type { StoreRefusal } from "../../store/refusal.ts";
import type { StoredThread, ThreadStore } from "../../store/thread-store.ts";

// What handlers of stored threads have in common: refusals, and the thread as a client sees it.

/** A thread that is not loaded, as the wire shows it. */
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
    gitInfo: unlessEmpty(details.gitInfo ?? facts.gitInfo),
    name: details.name,
    daybreakEnabled: details.daybreakEnabled,
    turns: [],
  };
}

/** Files of older times name an agent only where they say what it came from. */
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

/** A thread of which nothing is known any more has no such information at all. */
function unlessEmpty<T extends object>(info: T | null): T | null {
  return info !== null && Object.values(info).some((value) => value !== null) ? info : null;
}

/** A stored thread in a list; what is true of it only while it is loaded comes from there. */
export function showStored(engine: Pick<Engine, "find">, entry: StoredThread): ThreadView {
  const view = show(entry);
  const loaded = engine.find(view.id);
  if (loaded === undefined) return view;
  return { ...view, ...liveMembers(loaded) };
}

/** A loaded thread by itself; `entry` is null while it has no file. */
export function showLoaded(thread: Thread, entry: StoredThread | null): ThreadView {
  const live = thread.view();
  if (entry === null) return live;
  const view = show(entry);
  return { ...view, ...liveMembers(thread), canAcceptDirectInput: live.canAcceptDirectInput };
}

/** What a thread runs with now need not be in its file yet. */
function liveMembers(thread: Thread) {
  const { status, environments, model, cwd } = thread.view();
  return { status, environments, model, cwd };
}

/** Turns as they are kept, with the hooks that run in the one that is active: they are kept when they have ended. */
export function withRunningHooks(turns: readonly Turn[], thread: Thread | undefined): Turn[] {
  const active = thread?.activeTurn() ?? null;
  if (active === null) return [...turns];
  return turns.map((turn) => (turn.id === active.id ? { ...turn, hookRuns: active.hookRuns } : turn));
}

const EVERYTHING = 1_000_000;

/** Every turn of a thread with all its items, oldest first; empty for a thread that has no file yet. */
export async function readWholeHistory(threadStore: ThreadStore, id: string): Promise<Turn[]> {
  const page = await threadStore.turns(id, { direction: "asc", itemsView: "full", limit: EVERYTHING });
  return [...(acceptPage(page)?.data ?? [])];
}

/** A page of a thread's history; null for a thread that has no file yet. Whatever else keeps it from being read is refused. */
export function acceptPage<P extends object>(answer: P | StoreRefusal): Exclude<P, StoreRefusal> | null {
  return isRefusal(answer) && answer.reason === "missing" ? null : accept(answer);
}

/** What clients are told that ask for all of it at once. */
export const HYDRATION = {
  summary:
    "Full-history hydration is deprecated for paginated threads; use `excludeTurns: true`, then page with `thread/turns/list` and `thread/items/list`.",
  details: null,
};
