import type { LaneAccess } from "../../base/lanes.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { Order } from "../../protocol/generated/table.ts";
import { threadLane } from "../../runtime/threads/lane.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";

export interface LaneChoice {
  readonly key: string;
  readonly access: LaneAccess;
  /** The thread whose lane it is; null for other lanes. */
  readonly threadId: string | null;
}

/** The lane in which a request runs, or null if its order is free. */
export function laneOf(order: Order, params: unknown, connectionId: number): LaneChoice | null {
  switch (order.kind) {
    case "free":
      return null;
    case "global":
      return { key: `global:${order.lane}`, access: order.access, threadId: null };
    case "thread": {
      const named = fieldOf(params, "threadId");
      const other = order.orField === undefined ? null : fieldOf(params, order.orField);
      const threadId = named === null ? (other ?? "") : canonicalId(named);
      return laneOfThread(threadId);
    }
    case "connection": {
      const key = `${connectionId}:${order.field}:${fieldOf(params, order.field) ?? ""}`;
      return { key, access: "exclusive", threadId: null };
    }
  }
}

export function laneOfThread(threadId: string): LaneChoice {
  return { key: threadLane(threadId), access: "exclusive", threadId };
}

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Two spellings of one id must not have two lanes. An invalid id is refused by the handler. */
function canonicalId(text: string): string {
  if (CANONICAL.test(text)) return text;
  const id = parseThreadId(text);
  return isRefusal(id) ? text : id;
}

function fieldOf(params: unknown, field: string): string | null {
  if (typeof params !== "object" || params === null) return null;
  const value = (params as Record<string, unknown>)[field];
  return typeof value === "string" && value !== "" ? value : null;
}
