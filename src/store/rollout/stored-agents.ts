// The state of other agents: `running` or `{"completed": "text"}` in the files, one object on the wire.
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { CollabAgentState, CollabAgentStatus } from "../../protocol/generated/types.ts";
import { toCamel, toSnake } from "./naming-case.ts";

const STATUSES: ReadonlySet<string> = new Set<CollabAgentStatus>([
  "pendingInit",
  "running",
  "interrupted",
  "completed",
  "errored",
  "shutdown",
  "notFound",
]);

export function storeAgentStates(states: { readonly [threadId: string]: CollabAgentState }): JsonObject {
  return Object.fromEntries(Object.entries(states).map(([threadId, state]) => [threadId, storeState(state)]));
}

export function readAgentStates(stored: JsonObject): { [threadId: string]: CollabAgentState } {
  return Object.fromEntries(Object.entries(stored).map(([threadId, state]) => [threadId, readState(state)]));
}

function storeState({ status, message }: CollabAgentState): unknown {
  if (status === "completed") return { completed: message };
  if (status === "errored") return { errored: message ?? "" };
  return toSnake(status);
}

function readState(stored: unknown): CollabAgentState {
  const [name, message] = isObject(stored) ? (Object.entries(stored)[0] ?? []) : [stored, null];
  const status = toCamel(typeof name === "string" ? name : "");
  return {
    status: STATUSES.has(status) ? (status as CollabAgentStatus) : "notFound",
    message: typeof message === "string" ? message : null,
  };
}
