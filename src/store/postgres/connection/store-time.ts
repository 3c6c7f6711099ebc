/** The clock of the store, which is that of the database server: processes never compare clocks of their own. */
import type { Clock } from "../../../base/clock.ts";

export interface StoreTime {
  /** The server's time, as far as this process knows it, in milliseconds since the Unix epoch. */
  now(): number;
  /** The server's exact time, as an expression in SQL. */
  readonly sql: () => string;
  /** Learns from an answer of the server: its time is from somewhere between the question and the answer. */
  observe(serverMs: number, roundTripMs: number): void;
}

/** In SQL, for statements whose time decides who may act. */
export const NOW_MS = ":now";

const SERVER_NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

export function createServerTime(clock: Pick<Clock, "monotonic" | "now">): StoreTime {
  let offset = clock.now() - clock.monotonic();
  const now = (): number => Math.floor(offset + clock.monotonic());
  return {
    now,
    sql: () => SERVER_NOW,
    observe(serverMs, roundTripMs) {
      const known = now();
      // An estimate that may be right is kept, so that times of this process stay in order.
      if (known >= serverMs && known <= serverMs + roundTripMs + 1) return;
      offset = serverMs + roundTripMs / 2 - clock.monotonic();
    },
  };
}
