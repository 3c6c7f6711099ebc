import type { Engine } from "../../engine/engine.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { Thread as ThreadView, Turn } from "../../protocol/generated/types.ts";
import type { History } from "../../store/history/history.ts";
import type { Refusal } from "../../store/history/refusal.ts";
import { toThreadView } from "../../store/history/thread-view.ts";
import type { ThreadEntry } from "../../store/history-index.ts";
import { Refused, refuse } from "../configuration/refusal.ts";

// What handlers of stored threads have in common: refusals, and the thread as a client sees it.

/** What the history has answered; refuses the request when that is a refusal. */
export function accept<T extends object>(answer: T | Refusal): Exclude<T, Refusal> {
  if (isRefusal(answer)) {
    const { reason, message } = answer;
    throw reason === "disk" ? new Refused("unavailable", message) : refuse(message);
  }
  return answer as Exclude<T, Refusal>;
}

export function isRefusal(answer: object): answer is Refusal {
  return "kind" in answer && answer.kind === "refused";
}

export function notSupportedYet(what: string): Refused {
  return new Refused("notSupported", `${what} is not supported yet`);
}

/** Files of older times name an agent only where they say what it came from. */
function show(entry: ThreadEntry): ThreadView {
  const view = toThreadView(entry);
  const { source } = view;
  const agent = typeof source === "object" && "subAgent" in source ? source.subAgent : null;
  if (agent === null || typeof agent !== "object" || !("thread_spawn" in agent)) return view;
  const spawn = { ...NAMELESS, ...agent.thread_spawn };
  return {
    ...view,
    source: { subAgent: { thread_spawn: spawn } },
    agentNickname: view.agentNickname ?? spawn.agent_nickname,
    agentRole: view.agentRole ?? spawn.agent_role,
  };
}

const NAMELESS = { agent_path: null, agent_nickname: null, agent_role: null };

/** A stored thread in a list; what is true of it only while it is loaded comes from there. */
export function showStored(engine: Pick<Engine, "find">, entry: ThreadEntry): ThreadView {
  const view = show(entry);
  const loaded = engine.find(view.id);
  if (loaded === undefined) return view;
  return { ...view, ...liveMembers(loaded) };
}

/** A loaded thread by itself; `entry` is null while it has no file. */
export function showLoaded(thread: Thread, entry: ThreadEntry | null): ThreadView {
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

const EVERYTHING = 1_000_000;

/** Every turn of a thread with all its items, oldest first; empty for a thread that has no file yet. */
export async function readWholeHistory(history: History, id: string): Promise<Turn[]> {
  const page = await history.turns(id, { direction: "asc", itemsView: "full", limit: EVERYTHING });
  return [...(acceptPage(page)?.data ?? [])];
}

/** A page of a thread's history; null for a thread that has no file yet. Whatever else keeps it from being read is refused. */
export function acceptPage<P extends object>(answer: P | Refusal): Exclude<P, Refusal> | null {
  return isRefusal(answer) && answer.reason === "missing" ? null : accept(answer);
}

/** What clients are told that ask for all of it at once. */
export const HYDRATION = {
  summary:
    "Full-history hydration is deprecated for paginated threads; use `excludeTurns: true`, then page with `thread/turns/list` and `thread/items/list`.",
  details: null,
};
