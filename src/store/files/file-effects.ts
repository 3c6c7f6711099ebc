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
  async function prepare(effects: readonly Effect[]): Promise<void> {
    for (const effect of effects) {
      if (effect.kind !== "turnAnnounced") continue;
      const { dropped } = await outbox.hold(effect.turnId, effect.deliveries);
      if (dropped > 0) log.warn("the outbox of webhooks is full: events were dropped", { dropped });
    }
  }

  async function drop(effects: readonly Effect[]): Promise<void> {
    for (const effect of effects)
      if (effect.kind === "turnAnnounced") await outbox.settle({ owner, turnId: effect.turnId }, false);
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
          await outbox.settle({ owner, turnId: effect.turnId }, true);
          // Adds what could not be prepared; what was prepared is known.
          await outbox.enqueue(effect.deliveries);
        }
      }
    },
  };
}
