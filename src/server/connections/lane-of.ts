import type { LaneAccess } from "../../base/lanes.ts";
import type { Order } from "../../protocol/generated/table.ts";
import { threadLane } from "../../runtime/threads/lane.ts";

export interface LaneChoice {
  readonly key: string;
  readonly access: LaneAccess;
}

/** The lane in which a request waits for its turn, or null when it need not wait for anyone. */
export function laneOf(order: Order, params: unknown, connectionId: number): LaneChoice | null {
  switch (order.kind) {
    case "free":
      return null;
    case "global":
      return { key: `global:${order.lane}`, access: order.access };
    case "thread": {
      const id =
        fieldOf(params, "threadId") ?? (order.orField === undefined ? null : fieldOf(params, order.orField));
      return id === null ? null : { key: threadLane(id), access: "exclusive" };
    }
    case "connection":
      return {
        key: `${connectionId}:${order.field}:${fieldOf(params, order.field) ?? ""}`,
        access: "exclusive",
      };
  }
}

function fieldOf(params: unknown, field: string): string | null {
  if (typeof params !== "object" || params === null) return null;
  const value = (params as Record<string, unknown>)[field];
  return typeof value === "string" && value !== "" ? value : null;
}
