/**
 * Threads that a turn of another thread spawns: without a client, linked to their parent, and within its
 * rights.
 */

import type { JsonObject } from "../../base/json-object.ts";
import { isRefusal } from "../../base/refusal.ts";
import { changeSettings, type ThreadSettings } from "../../engine/state/settings.ts";
import type { SpawnedAgent } from "../../engine/state/spawned-agent.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { SessionSource, SubAgentSource } from "../../protocol/generated/types.ts";
import type { ThreadFacts } from "../../store/lines/thread-facts.ts";
import type { AgentOrigin } from "../../store/lines/thread-lines.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { ceilingOf, findExcess, readCeiling, storeCeiling } from "../setup/ceiling.ts";
import type { RuntimeDeps } from "../setup/runtime-deps.ts";
import { resolveChange } from "../setup/settings-change.ts";
import { describeOrigin, type Loading } from "./load-thread.ts";
import { resolveThread } from "./resolve-thread.ts";
import type { LoaderParts, LoadingClient } from "./thread-loader.ts";
import type { SettingsParams } from "./turns.ts";

export interface SpawnRequest {
  /** Overrides of the settings of the parent's turn; they may not exceed its rights. */
  readonly overrides?: SettingsParams;
  /** Its name among the agents of its family; null if it is identified by its id. */
  readonly path?: string | null;
  readonly nickname?: string | null;
  readonly role?: string | null;
}

/** A new thread with the settings of its parent's turn. It is as durable as its parent. */
export async function spawnThread(
  { deps, load }: LoaderParts,
  parent: Thread,
  request: SpawnRequest,
  client: LoadingClient,
): Promise<Thread | ThreadRefusal> {
  const settings = await childSettings(parent, request.overrides ?? {}, deps);
  if (isRefusal(settings)) return settings;
  const overrides = { cwd: settings.cwd, modelProvider: settings.modelProvider };
  const found = await resolveThread(overrides, deps);
  if (isRefusal(found)) return found;
  const resolved = { ...found, settings };
  const threadId = deps.host.createId();
  const agent = toAgent(parent, request);
  const spawned = { source: toSource(agent), threadSource: "subagent" };
  const { ephemeral, owner = null } = parent.view();
  const origin = { ...describeOrigin(threadId, resolved, { overrides, owner }, deps), ...spawned };
  const stored = { ...origin, historyMode: "paginated" as const, agent: toStored(agent) };
  const journal = ephemeral ? null : (await deps.store.get()).threads.create(stored);
  const loading: Omit<Loading, "rules" | "extensions"> = {
    threadId,
    resolved,
    overrides: { ...overrides, ephemeral },
    dynamicTools: [],
    journal,
    resumed: null,
    recordedModel: null,
    origin: { ...origin, historyMode: "paginated", forkedFromId: null, beginning: "new", agent },
  };
  return load(loading, client);
}

async function childSettings(
  parent: Thread,
  overrides: SettingsParams,
  deps: RuntimeDeps,
): Promise<ThreadSettings | ThreadRefusal> {
  const change = await resolveChange(overrides, parent.turnSettings, deps);
  if (isRefusal(change)) return change;
  const settings = changeSettings(parent.turnSettings, change);
  const excess = findExcess(settings, ceilingOf(parent.turnSettings));
  return excess === null ? settings : refuseInvalid(`a spawned thread cannot have more rights: ${excess}`);
}

function toAgent(parent: Thread, { path, nickname, role }: SpawnRequest): SpawnedAgent {
  return {
    parentThreadId: parent.id,
    sessionId: parent.agent?.sessionId ?? parent.id,
    depth: (parent.agent?.depth ?? 0) + 1,
    path: path ?? null,
    nickname: nickname ?? null,
    role: role ?? null,
    ceiling: ceilingOf(parent.turnSettings),
  };
}

function toSource({ parentThreadId, depth, path, nickname, role }: SpawnedAgent): SessionSource {
  const spawn = { parent_thread_id: parentThreadId, depth, agent_path: path };
  return { subAgent: { thread_spawn: { ...spawn, agent_nickname: nickname, agent_role: role } } };
}

function toStored({ parentThreadId, sessionId, nickname, role, ceiling }: SpawnedAgent): AgentOrigin {
  return { parentThreadId, sessionId, nickname, role, ceiling: storeCeiling(ceiling) };
}

/** The agent of a stored thread; null for a thread of a user, and for a spawned thread without a stored ceiling. */
export function recallAgent(facts: ThreadFacts): SpawnedAgent | null {
  const { parentThreadId, sessionId, agentNickname: nickname, agentRole: role, ceiling, source } = facts;
  if (parentThreadId === null || ceiling === null) return null;
  const spawn = spawnOf(source);
  return {
    parentThreadId,
    sessionId,
    depth: typeof spawn["depth"] === "number" ? spawn["depth"] : 1,
    path: typeof spawn["agent_path"] === "string" ? spawn["agent_path"] : null,
    nickname,
    role,
    ceiling: readCeiling(ceiling),
  };
}

function spawnOf(source: SessionSource): JsonObject {
  const agent: SubAgentSource | null =
    typeof source === "object" && "subAgent" in source ? source.subAgent : null;
  return typeof agent === "object" && agent !== null && "thread_spawn" in agent ? agent.thread_spawn : {};
}
