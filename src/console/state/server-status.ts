/** The status and the metrics of the server, read again every few seconds while the page is visible. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Client } from "../../client/browser.ts";
import type { DoctorRunResponse, ServerStatusResponse } from "../../protocol/generated/types.ts";
import { addSamples, MAX_POINTS, type MetricHistory } from "../text/metric-history.ts";
import { createLoaded } from "./loaded.ts";
import { whenConnected } from "./server.ts";

const REFRESH_MS = 5000;

export const serverStatus = createLoaded<ServerStatusResponse>((client) =>
  client.request("server/status", {}),
);
export const doctorResult = signal<DoctorRunResponse | null>(null);
export const metrics = signal<readonly MetricHistory[]>([]);

/** Of the numbers on top, as long as the view is open. */
export interface StatusHistory {
  readonly threads: readonly number[];
  readonly turns: readonly number[];
  readonly memory: readonly number[];
  readonly delay: readonly number[];
}
const NO_HISTORY: StatusHistory = { threads: [], turns: [], memory: [], delay: [] };
export const history = signal<StatusHistory>(NO_HISTORY);

async function refresh(client: Client): Promise<void> {
  await serverStatus.load(client);
  const found = serverStatus.data.peek();
  if (found === null || serverStatus.failure.peek() !== null) return;
  const { threads, turns, memory, delay } = history.peek();
  history.value = {
    threads: added(threads, found.threadsLoaded),
    turns: added(turns, found.turnsRunning),
    memory: added(memory, found.memory.rssBytes),
    delay: added(delay, found.eventLoopDelay.p99Ms ?? found.eventLoopDelay.meanMs),
  };
  const { data } = await client.request("metrics/list", {});
  metrics.value = addSamples(metrics.peek(), data);
}

const added = (points: readonly number[], point: number): readonly number[] =>
  [...points, point].slice(-MAX_POINTS);

/** Asks now, and every few seconds while the page is visible. */
export function useStatus(): void {
  useEffect(() => {
    let current: Client | null = null;
    // A request that takes longer than the interval is not doubled.
    let isAsking = false;
    function ask(): void {
      if (current === null || isAsking || document.visibilityState === "hidden") return;
      isAsking = true;
      refresh(current)
        .catch(() => {
          // The serverStatus has said so already, or says so the next time.
        })
        .finally(() => {
          isAsking = false;
        });
    }
    const stop = whenConnected((client) => {
      current = client;
      ask();
    });
    const timer = setInterval(ask, REFRESH_MS);
    document.addEventListener("visibilitychange", ask);
    return () => {
      stop();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", ask);
      history.value = NO_HISTORY;
      metrics.value = [];
    };
  }, []);
}

export async function runDoctor(client: Client): Promise<void> {
  doctorResult.value = await client.request("doctor/run", {});
}
