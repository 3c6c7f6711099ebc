/** A few connections, each for one statement or transaction at a time. They are opened when they are needed. */
import { AppError } from "../../../base/errors.ts";
import type { PostgresLink } from "./link.ts";

export const POOL_SIZE = 4;
/** Beyond it a statement fails at once. */
const MAX_WAITING = 10_000;

export interface Pool {
  /** Runs the work with a connection of its own. */
  use<T>(work: (link: PostgresLink) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function createPool(open: () => Promise<PostgresLink>): Pool {
  const idle: PostgresLink[] = [];
  const links = new Set<PostgresLink>();
  const waiting: (() => void)[] = [];
  let inUse = 0;
  let isClosed = false;

  async function take(): Promise<PostgresLink> {
    if (isClosed) throw new AppError("store.unavailable", "the store is closed");
    if (inUse >= POOL_SIZE) {
      if (waiting.length >= MAX_WAITING) throw new AppError("store.busy", "too much waits for the database");
      // A place that becomes free is passed on in order.
      await new Promise<void>((resolve) => void waiting.push(resolve));
    } else inUse += 1;
    try {
      for (let link = idle.pop(); link !== undefined; link = idle.pop()) if (!link.isBroken) return link;
      const link = await open();
      links.add(link);
      return link;
    } catch (error) {
      passOn();
      throw error;
    }
  }

  function passOn(): void {
    const next = waiting.shift();
    if (next === undefined) inUse -= 1;
    else next();
  }

  return {
    async use(work) {
      const link = await take();
      try {
        return await work(link);
      } finally {
        if (link.isBroken || isClosed) {
          links.delete(link);
          await link.close();
        } else idle.push(link);
        passOn();
      }
    },
    async close() {
      isClosed = true;
      for (const link of idle.splice(0)) {
        links.delete(link);
        await link.close();
      }
    },
  };
}
