import { expect } from "vitest";
import type { Fence } from "../leases.ts";
import type { Queue, QueueRow } from "../queue.ts";
import { newRow, ROOMY, WHOLE } from "../queue-row.fixture.ts";
import type { LeasedStore } from "./store-harness.fixture.ts";

/** The default thread of queue tests. */
export const T = "thread";
export const FENCED = { kind: "fenced" };
export const FAILURE = { message: "no such model" };
export const STARTED = { kind: "started", preview: "" } as const;
export const FAILED = { kind: "failed", failure: FAILURE } as const;
export const none = (why: string) => ({ kind: "none", why });

export async function addAll(queue: Queue, rowIds: readonly string[], threadId = T): Promise<void> {
  for (const rowId of rowIds) expect((await queue.add(threadId, newRow(rowId), ROOMY)).kind).toBe("added");
}

export const visible = async (queue: Queue, threadId = T): Promise<string[]> =>
  (await queue.list(threadId, WHOLE)).rows.map((each) => `${each.rowId} ${each.state}`);

export async function acquireFence({ leases }: LeasedStore, threadId = T): Promise<Fence> {
  const lease = await leases.acquire(threadId, "takeOver");
  if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
  return lease.fence;
}

export async function claimed(queue: Queue, fence: Fence, turnId: string, rowId?: string): Promise<QueueRow> {
  const outcome = await queue.claim(fence, turnId, rowId);
  if (outcome.kind !== "claimed") throw new Error(JSON.stringify(outcome));
  return outcome.row;
}
