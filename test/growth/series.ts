/** The measured series: six kinds of load, and the costs that grow with each. */
import type { Side } from "../bench/bench.ts";
import { measureHooks } from "./measure-hooks.ts";
import { measureLoaded, measureThreads, measureTurns } from "./measure-threads.ts";
import { measureQueue, measureSubscribers } from "./measure-waiting.ts";

/**
 * A time is judged by its relative increase from the smallest size, which is independent of the speed of the machine;
 * any other unit by its increase per unit of size.
 */
export interface Curve {
  readonly id: string;
  readonly title: string;
  readonly unit: "ms" | "KB" | "descriptors";
}

export interface Series {
  readonly id: string;
  /** The unit of the size, such as threads. */
  readonly sizeOf: string;
  readonly sizes: readonly number[];
  readonly curves: readonly Curve[];
  /** Why the growth that remains cannot be avoided. */
  readonly reason?: string;
  /** Measures all curves at a size, in a fresh process. */
  readonly measure: (side: Side, size: number) => Promise<Readonly<Record<string, number>>>;
}

const memory: Curve = { id: "memory", title: "memory that is kept", unit: "KB" };

export const SERIES: readonly Series[] = [
  {
    id: "turns",
    sizeOf: "turns in a thread",
    sizes: [50, 100, 200, 400, 800, 1600, 3200],
    curves: [
      { id: "turn", title: "a plain turn of the thread", unit: "ms" },
      { id: "page", title: "thread/turns/list, a page of 10", unit: "ms" },
      memory,
    ],
    reason:
      "Each request repeats the whole history, because `store: false` leaves the provider without it: the bytes to send grow, and nothing else.",
    measure: measureTurns,
  },
  {
    id: "threads",
    sizeOf: "threads in a home",
    sizes: [100, 250, 650, 1600, 4000, 10_000, 20_000],
    curves: [
      { id: "list", title: "thread/list, a page of 50", unit: "ms" },
      { id: "start", title: "thread/start", unit: "ms" },
      memory,
    ],
    measure: measureThreads,
  },
  {
    id: "loaded",
    sizeOf: "loaded threads",
    sizes: [25, 50, 100, 200, 400, 800],
    curves: [
      { id: "turn", title: "a turn of one of them", unit: "ms" },
      memory,
      { id: "descriptors", title: "open file descriptors", unit: "descriptors" },
    ],
    measure: measureLoaded,
  },
  {
    id: "subscribers",
    sizeOf: "WebSocket clients that follow a thread",
    sizes: [1, 2, 4, 8, 16, 32, 64],
    curves: [
      { id: "deltas", title: "1,000 deltas until the last client has them", unit: "ms" },
      { id: "work", title: "CPU time of the server for 1,000 deltas", unit: "ms" },
      memory,
    ],
    reason:
      "Deltas are encoded once, but each client has a socket, and therefore a system call of its own. All clients are in one process, which takes most of the time until the last client has them.",
    measure: measureSubscribers,
  },
  {
    id: "queue",
    sizeOf: "queued turns of a thread",
    sizes: [25, 50, 100, 200, 400, 800, 1600],
    curves: [
      { id: "add", title: "thread/queue/add", unit: "ms" },
      { id: "page", title: "thread/queue/list, a page of 25", unit: "ms" },
      memory,
    ],
    measure: measureQueue,
  },
  {
    id: "hooks",
    sizeOf: "hooks of one event",
    sizes: [1, 2, 4, 8, 16, 32],
    curves: [
      { id: "commands", title: "a turn with command hooks", unit: "ms" },
      { id: "modules", title: "a turn with module hooks", unit: "ms" },
      memory,
    ],
    reason:
      "A command hook is a process. All of them start at once, and beyond the number of processors they take turns; a module hook needs no process.",
    measure: measureHooks,
  },
];
