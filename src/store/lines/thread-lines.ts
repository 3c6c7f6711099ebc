// Lines about a thread and its model history, created from engine values.

import { withoutNulls } from "../../base/json-members.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { GitInfo, HookRunSummary, SessionSource } from "../../protocol/generated/types.ts";
import type { LineBody, SessionMeta, TurnContext } from "./line.ts";
import type { SubmittedInput } from "./model-history.ts";
import { storeSource } from "./session-source.ts";
import { type CallsChange, storeCalls } from "./suspended-calls.ts";

export interface ThreadOrigin {
  readonly threadId: string;
  /** Other processes may create the thread under this id as well: the first one does, and the others are fenced. */
  readonly mayExist?: true;
  readonly cwd: string;
  readonly workspaceRoots: readonly string[];
  readonly originator: string;
  readonly version: string;
  readonly source: SessionSource;
  readonly threadSource?: string | null;
  readonly modelProvider: string | null;
  readonly baseInstructions: string | null;
  /** The id of the first context window. */
  readonly windowId?: string | null;
  readonly git?: GitInfo | null;
  readonly dynamicTools?: readonly unknown[] | null;
  readonly forkedFromId?: string | null;
  /** The subject of the token of who created it; absent without one. */
  readonly owner?: string | null;
  /** The thread that spawned it; absent for a user's thread. */
  readonly agent?: AgentOrigin | null;
}

/** The position of a spawned thread in its family. */
export interface AgentOrigin {
  readonly parentThreadId: string;
  /** The root thread of the family. */
  readonly sessionId: string;
  readonly nickname: string | null;
  readonly role: string | null;
  /** The permission ceiling, in the form of its writer. */
  readonly ceiling: JsonObject;
}

/** An origin with the creation time by the store's clock. */
export interface DatedOrigin extends ThreadOrigin {
  readonly createdAtMs: number;
  /** The generation of the segment that a fork continues; 0 by default. */
  readonly generation?: number;
  /** The end, exclusive, of the history that a fork shares with its source. */
  readonly forkedFromSeq?: number | null;
}

/** The first line of every segment of a thread. */
export function sessionMeta(origin: DatedOrigin): LineBody {
  const { generation = 0, forkedFromSeq, agent } = origin;
  const payload = {
    session_id: agent?.sessionId ?? origin.threadId,
    id: origin.threadId,
    forked_from_id: origin.forkedFromId,
    parent_thread_id: agent?.parentThreadId,
    agent_nickname: agent?.nickname,
    agent_role: agent?.role,
    heddle_ceiling: agent?.ceiling,
    heddle_owner: origin.owner,
    forked_from_ordinal_exclusive: origin.forkedFromId == null ? null : forkedFromSeq,
    timestamp: new Date(origin.createdAtMs).toISOString(),
    cwd: origin.cwd,
    runtime_workspace_roots: origin.workspaceRoots,
    originator: origin.originator,
    cli_version: origin.version,
    source: storeSource(origin.source),
    thread_source: origin.threadSource,
    model_provider: origin.modelProvider,
    base_instructions: origin.baseInstructions === null ? null : { text: origin.baseInstructions },
    dynamic_tools: origin.dynamicTools,
    history_mode: "paginated",
    heddle_generation: generation === 0 ? null : generation,
    context_window: origin.windowId == null ? null : { window_id: origin.windowId },
    git: origin.git == null ? null : storeGit(origin.git),
  };
  return { type: "session_meta", payload: withoutNulls(payload) as SessionMeta };
}

function storeGit({ sha, branch, originUrl }: GitInfo): JsonObject {
  return withoutNulls({ commit_hash: sha, branch, repository_url: originUrl });
}

/** The context of a turn, with the key names of the file. */
export function turnContext(context: TurnContext): LineBody {
  return { type: "turn_context", payload: withoutNulls(context) as TurnContext };
}

/** The settings of the thread after a change, with the key names of the file. */
export function threadSettingsApplied(threadId: string, settings: JsonObject): LineBody {
  const payload = { type: "thread_settings_applied", thread_id: threadId, thread_settings: settings };
  return { type: "event_msg", payload };
}

/** A goal is stored in wire form; null if it was cleared. */
export function threadGoalUpdated(threadId: string, goal: JsonObject | null): LineBody {
  return { type: "event_msg", payload: { type: "thread_goal_updated", threadId, goal } };
}

export function worldState(state: JsonObject, { full }: { readonly full: boolean }): LineBody {
  return { type: "world_state", payload: { full, state } };
}

/**
 * Accepted input that has not entered the model's history. It is stored in a line with an empty state change, which the
 * peer knows: a line of an unknown kind at the end of a file would make the peer reuse its ordinal.
 */
export function inputSubmitted({ id, items, awaitingHooks }: SubmittedInput): LineBody {
  const item = awaitingHooks === null ? {} : { item: { ...awaitingHooks } };
  return {
    type: "world_state",
    payload: { full: false, state: {}, heddle_submitted: { id, items: [...items], ...item } },
  };
}

/** The input has entered the history, or never will. */
export function inputSettled(id: string): LineBody {
  return { type: "world_state", payload: { full: false, state: {}, heddle_settled: id } };
}

/** A hook run of a turn. */
export function hookRan(turnId: string, run: HookRunSummary): LineBody {
  return {
    type: "world_state",
    payload: { full: false, state: {}, heddle_hook_run: { turn_id: turnId, run } },
  };
}

/** The progress of the calls of a response, while one of them waits for an answer. */
export function callsChanged(change: CallsChange): LineBody {
  return { type: "world_state", payload: { full: false, state: {}, heddle_calls: storeCalls(change) } };
}

export function responseItem(item: { readonly type: string }): LineBody {
  return { type: "response_item", payload: { ...item } };
}

export interface Compaction {
  readonly message: string;
  readonly replacementHistory: readonly { readonly type: string }[];
  readonly windowNumber: number;
  readonly firstWindowId: string | null;
  readonly previousWindowId: string | null;
  readonly windowId: string | null;
}

export function compacted(compaction: Compaction): LineBody {
  return {
    type: "compacted",
    payload: {
      message: compaction.message,
      replacement_history: compaction.replacementHistory.filter((item) => isObject(item)),
      ...withoutNulls({
        window_number: compaction.windowNumber,
        first_window_id: compaction.firstWindowId,
        previous_window_id: compaction.previousWindowId,
        window_id: compaction.windowId,
      }),
    },
  };
}
