/** Who waits for the index to be filled, and what they are told meanwhile. */
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import type { Logger } from "../../base/logger.ts";
import type { Backlog } from "./backlog.ts";

export interface FillProgress {
  /** Somebody waits, until the returned function is called. */
  wait(): () => void;
  whenNobodyWaits(): Promise<void>;
  /** To be called after each step. */
  tell(): void;
}

export interface FillProgressOptions {
  readonly backlog: Pick<Backlog, "files">;
  readonly log: Logger;
  readonly now: () => number;
}

const TELL_EVERY_MS = 2000;

export function createFillProgress({ backlog, log, now }: FillProgressOptions): FillProgress {
  let waiting = 0;
  let free: Deferred<void> | null = null;
  let most = 0;
  let toldAt = now();

  return {
    wait() {
      waiting += 1;
      return () => {
        waiting -= 1;
        if (waiting > 0) return;
        free?.resolve();
        free = null;
      };
    },
    whenNobodyWaits() {
      if (waiting === 0) return Promise.resolve();
      free ??= createDeferred();
      return free.promise;
    },
    tell() {
      const { files } = backlog;
      if (most === 0) toldAt = now();
      most = files === 0 ? 0 : Math.max(most, files);
      if (files === 0 || now() - toldAt < TELL_EVERY_MS) return;
      toldAt = now();
      const message = `history is being indexed: ${most - files} of ${most} files`;
      // Who waits for an answer hears why without having asked for it.
      if (waiting > 0) log.error(message);
      else log.info(message);
    },
  };
}
