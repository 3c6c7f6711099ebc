/** The effects of lines, in the tables of a home. */
import type { Logger } from "../../base/logger.ts";
import { logFailure } from "../../base/tasks.ts";
import type { Effect } from "../journal.ts";
import type { Queue } from "../queue.ts";
import type { SqliteOutbox } from "./sqlite/sqlite-outbox.ts";
import type { EffectStore } from "./threads/effect-store.ts";

interface FileEffectsOptions {
  readonly queue: Pick<Queue, "ack">;
  readonly outbox: Pick<SqliteOutbox, "hold" | "enqueue" | "settle">;
  /** The owner name of this process in the tables. */
  readonly owner: string;
  readonly log: Logger;
}

export function createFileEffects({ queue, outbox, owner, log }: FileEffectsOptions): EffectStore {
  /** Turns whose announcements are held; others could not be prepared. */
  const held = new Set<string>();

  async function prepare(effects: readonly Effect[]): Promise<void> {
    for (const effect of effects) {
      if (effect.kind !== "turnAnnounced") continue;
      const { dropped } = await outbox.hold(effect.turnId, effect.deliveries);
      held.add(effect.turnId);
      if (dropped > 0) log.warn("the outbox of webhooks is full: events were dropped", { dropped });
    }
  }

  async function drop(effects: readonly Effect[]): Promise<void> {
    for (const effect of effects) if (effect.kind === "turnAnnounced") await settle(effect.turnId, false);
  }

  async function settle(turnId: string, hasEnded: boolean): Promise<void> {
    await outbox.settle({ owner, turnId }, hasEnded);
    held.delete(turnId);
  }

  return {
    prepare: (effects) =>
      prepare(effects).catch((error: unknown) => logFailure(log, "preparing effects of lines", error)),
    drop: (effects) =>
      drop(effects).catch((error: unknown) => logFailure(log, "dropping effects of lines", error)),
    async apply(fence, effects) {
      for (const effect of effects) {
        if (effect.kind === "queueStarted") {
          const { rowId, turnId, preview } = effect;
          // A missing claim was already acknowledged by the current holder of the thread.
          await queue.ack(fence, rowId, turnId, { kind: "started", preview });
        } else {
          if (held.has(effect.turnId)) await settle(effect.turnId, true);
          else await outbox.enqueue(effect.deliveries);
        }
      }
    },
  };
}
