import type { Logger } from "../base/logger.ts";
import type { Heddle } from "../server/heddle.ts";

/** How long a client may take to read the last words of a server that ends. */
const LAST_WORDS_MS = 2000;

/**
 * Keeps a server running until it is to end, and ends it well. SIGTERM and SIGINT let running turns
 * finish first, and a second one does not; SIGHUP lets them finish however often it comes.
 */
export async function runUntilEnd(heddle: Heddle, log: Logger, ended: Promise<void>): Promise<number> {
  let draining = false;
  let endNow = () => {};
  const forced = new Promise<void>((resolve) => {
    endNow = resolve;
  });
  const drain = () => {
    draining = true;
    log.info("shutting down once the running turns have ended");
    void heddle.whenIdle().then(endNow);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => (draining ? endNow() : drain()));
  }
  process.on("SIGHUP", () => draining || drain());

  await Promise.race([ended, forced]);
  await heddle.close();
  await flush(process.stdout);
  // Whatever a client left open on our side must not keep the process alive.
  process.exit(0);
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LAST_WORDS_MS);
    stream.write("", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
