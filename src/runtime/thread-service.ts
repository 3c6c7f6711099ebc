/**
 * Threads for parts of the server that have no connection: what they do waits in the lane of its thread, behind what
 * clients have asked for before, and what is accepted begins by itself.
 */

import type { Lanes } from "../base/lanes.ts";
import type { Logger } from "../base/logger.ts";
import type { Engine } from "../engine/engine.ts";
import type { OnEngineEvent } from "../engine/state/events.ts";
import type { Turn } from "../protocol/generated/types.ts";
import { NO_EXTENSIONS } from "../tools/mcp/client-extensions.ts";
import { orRefusal, type Refusal } from "./configuration/refusal.ts";
import { inThreadLane } from "./threads/lane.ts";
import type { ThreadOperations } from "./threads/thread-operations.ts";
import type { StartOptions, SteerParams, TurnParams } from "./threads/turn-operations.ts";

export interface ThreadService {
  /** Loads the thread where it is not. */
  load(threadId: string): Promise<Done | Refusal>;
  /** Forgets a thread in which nothing runs, unless it is needed again by the time that its lane is free. */
  unload(threadId: string, isUnneeded?: () => boolean): Promise<void>;
  /** Starts a turn, under an id that the caller may know beforehand. */
  startTurn(threadId: string, params: TurnParams, options?: StartOptions): Promise<StartedTurn | Refusal>;
  steer(threadId: string, params: SteerParams): Promise<StartedTurn | Refusal>;
  /** Ends the turn that runs; an empty id means whichever it is. */
  interrupt(threadId: string, turnId: string): Promise<Done | Refusal>;
  /** Calls back with what happens to threads; the returned function ends that. */
  onEvent(listener: OnEngineEvent): () => void;
}

export interface Done {
  readonly kind: "done";
}

export interface StartedTurn {
  readonly kind: "started";
  readonly turn: Turn;
}

export interface ThreadServiceOptions {
  readonly lanes: Lanes;
  readonly engine: Pick<Engine, "find" | "unload" | "onEvent">;
  readonly operations: () => Promise<ThreadOperations>;
  readonly log: Logger;
}

const DONE: Done = { kind: "done" };

export function createThreadService(options: ThreadServiceOptions): ThreadService {
  const { lanes, engine, operations, log } = options;

  const inLane = <T>(threadId: string, work: () => Promise<T>) => inThreadLane(lanes, threadId, work);

  return {
    load: (threadId) =>
      inLane(threadId, () =>
        orRefusal(async () => {
          if (engine.find(threadId) !== undefined) return DONE;
          const threads = await operations();
          const client = {
            extensions: NO_EXTENSIONS,
            warn: ({ summary }: { summary: string }) => log.warn(summary),
          };
          threads.startServers(await threads.resume(threadId, {}, { takeOver: false, client }));
          return DONE;
        }),
      ),

    unload: (threadId, isUnneeded = () => true) =>
      inLane(threadId, async () => {
        if (isUnneeded()) engine.unload(threadId);
      }),

    startTurn: (threadId, params, start) =>
      inLane(threadId, async () => begun(await (await operations()).startTurn(threadId, params, start))),

    steer: (threadId, params) =>
      inLane(threadId, async () => begun(await (await operations()).steer(threadId, params))),

    interrupt: (threadId, turnId) =>
      inLane(threadId, async () => {
        const outcome = await (await operations()).interrupt(threadId, turnId);
        if (outcome.kind === "refused") return outcome;
        outcome.begin();
        return DONE;
      }),

    onEvent: engine.onEvent,
  };
}

function begun(
  outcome: { readonly kind: "accepted"; readonly turn: Turn; readonly begin: () => void } | Refusal,
): StartedTurn | Refusal {
  if (outcome.kind === "refused") return outcome;
  outcome.begin();
  return { kind: "started", turn: outcome.turn };
}
