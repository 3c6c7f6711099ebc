/** The decisions about the items of one thread, read again when one may have been added. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Client } from "../../client/browser.ts";
import type { Decision, DecisionListResponse } from "../../protocol/generated/types.ts";
import { whenConnected } from "./server.ts";

const PAGE = 100;
/** Older decisions are in the log only. */
const MAX_DECISIONS = 1000;
/** After the last of several changes. */
const SETTLED_MS = 300;
const ADDING = ["item/completed", "turn/completed"] as const;

export interface ThreadDecisions {
  /** By `keyOf`, the oldest first. */
  readonly byItem: ReadonlySignal<ReadonlyMap<string, readonly Decision[]>>;
  close(): void;
}

export const keyOfItem = (turnId: string, itemId: string): string => `${turnId} ${itemId}`;

export function followDecisions(threadId: string): ThreadDecisions {
  const byItem = signal<ReadonlyMap<string, readonly Decision[]>>(new Map());
  const known = new Map<string, Decision>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stops: (() => void)[] = [];

  /** The newest ones, up to about `max`. */
  async function read(client: Client, max: number): Promise<void> {
    let cursor: string | null = null;
    let count = 0;
    do {
      const page: DecisionListResponse = await client.request("decision/list", {
        threadId,
        cursor,
        limit: PAGE,
      });
      for (const decision of page.data) known.set(decision.id, decision);
      cursor = page.nextCursor;
      count += page.data.length;
    } while (cursor !== null && count < max);
    byItem.value = groupByItem(known.values());
  }

  /** Decisions that cannot be read are not shown: the log of decisions says why. */
  function readSoon(client: Client): void {
    clearTimeout(timer);
    timer = setTimeout(() => void read(client, PAGE).catch(() => {}), SETTLED_MS);
  }

  function listenTo(client: Client): void {
    for (const stop of stops) stop();
    const isOwn = (params: { readonly threadId: string }): boolean => params.threadId === threadId;
    stops = [
      ...ADDING.map((method) => client.on(method, (params) => void (isOwn(params) && readSoon(client)))),
      client.on("approval/changed", ({ approval }) => void (isOwn(approval) && readSoon(client))),
    ];
  }

  const stop = whenConnected((client) => {
    listenTo(client);
    void read(client, MAX_DECISIONS).catch(() => {});
  });
  return {
    byItem,
    close() {
      stop();
      clearTimeout(timer);
      for (const each of stops) each();
    },
  };
}

function groupByItem(decisions: Iterable<Decision>): ReadonlyMap<string, readonly Decision[]> {
  const groups = new Map<string, Decision[]>();
  const sorted = [...decisions].toSorted((one, other) => one.requestedAt - other.requestedAt);
  for (const decision of sorted) {
    const key = keyOfItem(decision.turnId, decision.itemId);
    groups.set(key, [...(groups.get(key) ?? []), decision]);
  }
  return groups;
}
