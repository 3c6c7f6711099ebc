/** The outbox of a home, with recovery of what dead processes have held back. */
import type { Clock } from "../../base/clock.ts";
import type { Outbox } from "../outbox.ts";
import type { ThreadStore } from "../thread-store.ts";
import type { HeldTurn, SqliteOutbox } from "./sqlite/sqlite-outbox.ts";
import { type Liveness, livenessOf } from "./threads/lease-owner.ts";

/** An owner whose liveness is unknown counts as dead after this time: deliveries are held for milliseconds. */
const HELD_MS = 60_000;
/** Turns that are searched for the one whose end was announced, the latest first. */
const MAX_TURNS = 1000;

interface FileOutboxOptions {
  readonly threads: Pick<ThreadStore, "turns">;
  readonly clock: Pick<Clock, "now">;
  readonly liveness?: (owner: string) => Liveness;
}

/** Looks and claims recover first: a process may have died between a turn's end and its announcement. */
export function createFileOutbox(
  table: SqliteOutbox,
  { threads, clock, liveness = livenessOf }: FileOutboxOptions,
): Outbox {
  async function hasEnded({ threadId, turnId }: HeldTurn): Promise<boolean> {
    const page = await threads.turns(threadId, {
      direction: "desc",
      limit: MAX_TURNS,
      itemsView: "notLoaded",
    });
    const turn = page.kind === "page" ? page.data.find(({ id }) => id === turnId) : undefined;
    // A turn without an end reads as interrupted; it has no time of its end.
    return turn !== undefined && turn.completedAt !== null;
  }

  async function recover(): Promise<void> {
    for (const held of await table.held()) {
      const state = liveness(held.owner);
      if (state === "alive" || (state === "unknown" && clock.now() - held.sinceMs < HELD_MS)) continue;
      await table.settle(held, await hasEnded(held));
    }
  }

  const { hold: _hold, settle: _settle, held: _held, ...outbox } = table;
  return {
    ...outbox,
    async nextDueMs(endpointIds) {
      await recover();
      return table.nextDueMs(endpointIds);
    },
    async claim(endpointId, limit) {
      await recover();
      return table.claim(endpointId, limit);
    },
  };
}
