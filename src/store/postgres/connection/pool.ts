/** A few connections, each for one statement or transaction at a time. They are opened when they are needed. */
import { AppError } from "../../../base/errors.ts";
import type { Link } from "./link.ts";

export const POOL_SIZE = 4;
/** Beyond it a statement fails at once. */
const MAX_WAITING = 10_000;

export interface Pool {
  /** Runs the work with a connection that nobody else uses meanwhile. */
  use<T>(work: (link: Link) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function createPool(open: () => Promise<Link>): Pool {
  const idle: Link[] = [];
  const links = new Set<Link>();
  const waiting: (() => void)[] = [];
  let inUse = 0;
  let isClosed = false;

  async function take(): Promise<Link> {
    if (isClosed) throw new AppError("store.unavailable", "the store is closed");
    if (inUse >= POOL_SIZE) {
      if (waiting.length >= MAX_WAITING) throw new AppError("store.busy", "too much waits for the database");
      // The connection of the one that ends is passed on, so that nobody overtakes.
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
