/** Records waits for the end of a usage limit under the fence of their thread. */
import { messageOf } from "../../base/errors.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { HeldWait, WaitLog } from "../../engine/turn/limit-wait.ts";
import type { Fence, WriterFence } from "../../store/leases.ts";
import type { Wait, Waits } from "../../store/waits.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/** The requests of threads with one limit are spread over this time after its end. */
export const MAX_SPREAD_MS = 10_000;

type Deps = Pick<RuntimeDeps, "store" | "host" | "random" | "asksAfterRestart">;

export function createWaitLog(
  { limits }: Pick<ConfigValues, "limits">,
  writerFence: () => WriterFence | null,
  deps: Deps,
): WaitLog {
  const { host, store, random } = deps;
  const { on_usage_limit: configured } = limits;
  const fenceNow = (): Fence | null => {
    const fence = writerFence();
    return fence === null || "ephemeral" in fence ? null : fence;
  };
  return {
    suspends: ({ kind }) =>
      configured === null ? kind === "queue" || deps.asksAfterRestart : configured === "suspend",
    spreadMs: () => Math.floor(random() * MAX_SPREAD_MS),
    async begin(wait) {
      const fence = fenceNow();
      if (fence === null) return null;
      try {
        const { waits } = await store.get();
        const outcome = await waits.put(fence, wait);
        return outcome.kind === "kept" ? holdWait(outcome.wait, { waits, fenceNow, log: host.log }) : null;
      } catch (error) {
        const { turnId } = wait.turn;
        host.log.error("a wait could not be recorded", { turnId, error: messageOf(error) });
        return null;
      }
    },
  };
}

interface HoldOptions {
  readonly waits: Pick<Waits, "remove">;
  readonly fenceNow: () => Fence | null;
  readonly log: RuntimeDeps["host"]["log"];
}

/** A wait that is in the store. */
export function holdWait(wait: Wait, { waits, fenceNow, log }: HoldOptions): HeldWait {
  return {
    wait,
    isOver: false,
    async release() {
      const fence = fenceNow();
      if (fence === null) return;
      try {
        await waits.remove(fence, wait.turn.turnId);
      } catch (error) {
        // A wait that stays is removed when its thread is loaded for it.
        const { threadId } = wait;
        log.error("a wait could not be removed", { threadId, error: messageOf(error) });
      }
    },
  };
}
