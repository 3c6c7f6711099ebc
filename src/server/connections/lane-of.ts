import type { LaneAccess, Lanes } from "../../base/lanes.ts";
import { createDeferred } from "../../base/tasks.ts";
import type { Order } from "../../protocol/generated/table.ts";

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

/** The lane of everything that is done to one thread. */
export function threadLane(threadId: string): string {
  return `thread:${threadId}`;
}

/** Runs work for a thread behind what clients have asked for before, and not beside anything else for that thread. */
export function inThreadLane<T>(lanes: Lanes, threadId: string, work: () => Promise<T>): Promise<T> {
  const outcome = createDeferred<T>();
  lanes.run(threadLane(threadId), "exclusive", () => work().then(outcome.resolve, outcome.reject));
  return outcome.promise;
}

function fieldOf(params: unknown, field: string): string | null {
  if (typeof params !== "object" || params === null) return null;
  const value = (params as Record<string, unknown>)[field];
  return typeof value === "string" && value !== "" ? value : null;
}
