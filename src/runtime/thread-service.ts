/**
 * The only way to create, load and fork threads and to start turns in them. It needs no connection: request
 * handlers, queues and background work all call it. Changes of a loaded thread require the lane of that
 * thread (`LaneHeld`). Refusals are returned as values.
 */

import type { Lanes } from "../base/lanes.ts";
import { isRefusal } from "../base/refusal.ts";
import { inBackground, once } from "../base/tasks.ts";
import { type Accepted, accepted } from "../engine/state/accepted.ts";
import type { OnEngineEvent } from "../engine/state/events.ts";
import type { Thread } from "../engine/thread-options.ts";
import { NO_EXTENSIONS } from "../tools/mcp/client-extensions.ts";
import type { ThreadRefusal } from "./configuration/thread-refusal.ts";
import type { RuntimeDeps } from "./setup/runtime-deps.ts";
import { findThread } from "./threads/find-thread.ts";
import { type LaneHeld, type LaneHolder, withLane } from "./threads/lane.ts";
import type { SpawnRequest } from "./threads/spawn-thread.ts";
import type { LoadingClient, ThreadLoader } from "./threads/thread-loader.ts";
import type { Turns } from "./threads/turns.ts";

/** Threads are returned as accepted: `begin` starts their MCP servers, which notify clients of their progress. */
export interface ThreadService extends Turns, LaneHolder {
  /** Creates a thread. */
  create(...call: Parameters<ThreadLoader["start"]>): Promise<Accepted<Thread> | ThreadRefusal>;
  /** Loads a stored thread, with overrides of a client. */
  resume(
    held: LaneHeld,
    overrides: Parameters<ThreadLoader["resume"]>[1],
    options: Parameters<ThreadLoader["resume"]>[2],
  ): Promise<Accepted<Thread> | ThreadRefusal>;
  /** Creates a thread with a part of another one's history. */
  fork(...call: Parameters<ThreadLoader["fork"]>): Promise<Accepted<Thread> | ThreadRefusal>;
  /** Creates a thread for a task of a loaded one: linked to it, and within the rights of its running turn. */
  spawn(parentThreadId: string, request?: SpawnRequest): Promise<Accepted<Thread> | ThreadRefusal>;
  /** Loads a stored thread with its own settings; does nothing if it is loaded. */
  load(threadId: string): Promise<ThreadRefusal | null>;
  /** Unloads a thread without a running turn. `isUnneeded` is checked again when its lane is free. */
  unload(threadId: string, isUnneeded?: () => boolean): Promise<void>;
  /** Subscribes to the events of all threads; returns the unsubscribe function. */
  onEvent(listener: OnEngineEvent): () => void;
}

export function createThreadService(deps: RuntimeDeps, lanes: Lanes): ThreadService {
  const { engine, mcp } = deps;
  const { log } = deps.host;
  // Imported on first use: a server that only answers about its configuration needs neither.
  const loader = once(async () => (await import("./threads/thread-loader.ts")).createThreadLoader(deps));
  const turns = once(async () => (await import("./threads/turns.ts")).createTurns(deps));
  /** Without a client, warnings are logged. */
  const noClient: LoadingClient = {
    subject: null,
    extensions: NO_EXTENSIONS,
    warn: ({ summary }) => log.warn(summary),
  };

  function toAccepted(thread: Thread | ThreadRefusal): Accepted<Thread> | ThreadRefusal {
    if (isRefusal(thread)) return thread;
    return accepted(thread, () => {
      thread.continueTurn();
      const started = mcp.peek().then((servers) => servers?.begin(thread.id));
      inBackground(log, "starting MCP servers", started);
    });
  }

  const resume: ThreadService["resume"] = async (held, ...call) =>
    toAccepted(await (await loader.get()).resume(held.check(), ...call));

  return {
    withLane: (threadId, work) => withLane(lanes, threadId, work),
    create: async (...call) => toAccepted(await (await loader.get()).start(...call)),
    resume,
    fork: async (...call) => toAccepted(await (await loader.get()).fork(...call)),
    async spawn(parentThreadId, request = {}) {
      const parent = findThread(engine, parentThreadId);
      if (isRefusal(parent)) return parent;
      return toAccepted(await (await loader.get()).spawn(parent, request, noClient));
    },
    load: (threadId) =>
      withLane(lanes, threadId, async (held) => {
        if (engine.find(threadId) !== undefined) return null;
        const thread = await resume(held, {}, { takeOver: false, client: noClient });
        if (isRefusal(thread)) return thread;
        thread.begin();
        return null;
      }),
    unload: (threadId, isUnneeded = () => true) =>
      withLane(lanes, threadId, async () => {
        if (isUnneeded()) engine.unload(threadId);
      }),
    startTurn: async (...call) => (await turns.get()).startTurn(...call),
    steer: async (...call) => (await turns.get()).steer(...call),
    interrupt: async (...call) => (await turns.get()).interrupt(...call),
    compact: async (...call) => (await turns.get()).compact(...call),
    review: async (...call) => (await turns.get()).review(...call),
    shell: async (...call) => (await turns.get()).shell(...call),
    inject: async (...call) => (await turns.get()).inject(...call),
    changeSettings: async (...call) => (await turns.get()).changeSettings(...call),
    onEvent: engine.onEvent,
  };
}
