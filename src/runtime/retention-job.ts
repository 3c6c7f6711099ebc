/**
 * Applies the retention limits of a home once a day, as `heddle gc --yes` does. One of several servers on a home is enough:
 * the home records the time of the last run.
 */

import type { Logger } from "../base/logger.ts";
import { inBackground } from "../base/tasks.ts";
import type { Collection } from "../store/open/collect-home.ts";
import type { ConfigSource } from "./configuration/config-source.ts";
import type { Host } from "./configuration/host.ts";
import { createLockProgram } from "./configuration/lock-program.ts";

type RetentionHost = Pick<Host, "env" | "clock" | "log" | "createId">;
type RetentionConfig = Pick<ConfigSource, "get" | "writablePaths">;

export interface RetentionJob {
  /** Waits for the thread that is being archived. */
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A starting server is busy, and many servers run for less than this. */
const FIRST_AFTER_MS = 10 * 60_000;
/** The interval of checks; it bounds the delay of a daily run. */
const CHECK_EVERY_MS = HOUR_MS;

/** `storeAddress` is parsed by `openStore`. */
export function createRetentionJob(
  host: RetentionHost,
  config: RetentionConfig,
  storeAddress: string,
): RetentionJob {
  const { clock, log } = host;
  const ending = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let cancel = schedule(FIRST_AFTER_MS);

  function schedule(inMs: number): () => void {
    return clock.after(
      inMs,
      () => {
        running = collect(host, config, storeAddress, ending.signal).finally(() => {
          if (!ending.signal.aborted) cancel = schedule(CHECK_EVERY_MS);
        });
        inBackground(log, "applying retention limits", running);
      },
      { keepsAlive: false },
    );
  }

  return {
    async close() {
      ending.abort();
      cancel();
      await running.catch(() => {});
    },
  };
}

async function collect(
  host: RetentionHost,
  config: RetentionConfig,
  storeAddress: string,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, createId } = host;
  const effective = await (await config.get()).effective();
  // Ignored here: requests report an invalid configuration.
  if (!effective.ok || signal.aborted) return;
  const { retention, durability } = effective.value.values;
  const { max_age_days: days, max_bytes: maxBytes, keep_named: keepNamed } = retention;
  if (days === null && maxBytes === null) return;
  const { collectHomeOnce } = await import("../store/open/collect-home.ts");
  const startedMs = clock.monotonic();
  const collection = await collectHomeOnce(
    {
      where: storeAddress,
      clock,
      log,
      createId,
      lockProgram: createLockProgram(host, config),
      limits: { maxAgeMs: days === null ? null : days * DAY_MS, maxBytes },
      keepNamed,
      durability,
      apply: true,
      signal,
    },
    DAY_MS,
  );
  if (collection !== null) report(log, collection, clock.monotonic() - startedMs);
}

function report(log: Logger, { applied, bytes, bytesAfter }: Collection, tookMs: number): void {
  const count = (kind: string): number =>
    applied.filter(({ fate, left }) => fate.kind === kind && left === null).length;
  log.info("retention limits were applied", {
    archived: count("archive"),
    packed: count("pack"),
    deleted: count("delete"),
    left: applied.filter(({ left }) => left !== null).length,
    bytesBefore: bytes,
    bytesAfter,
    durationMs: Math.round(tookMs),
  });
  for (const { fate, left, hasFailed } of applied)
    if (hasFailed)
      log.warn("retention limits could not be applied to a thread", {
        threadId: fate.family.rootId,
        reason: left,
      });
}
