import type { Logger } from "../base/logger.ts";
import type { Heddle } from "../server/heddle.ts";

/** How long a client may take to read the last words of a server that ends. */
const LAST_WORDS_MS = 2000;

type ExitReason = "stdio_connection_closed" | "graceful_signal_restart" | "forced_signal_restart";

/**
 * Keeps a server running until it is to end, and ends it well. SIGTERM and SIGINT let running turns
 * finish first, and a second one does not; SIGHUP lets them finish however often it comes.
 */
export async function runUntilEnd(heddle: Heddle, log: Logger, ended: Promise<void>): Promise<number> {
  const exitReason = await Promise.race([
    ended.then((): ExitReason => "stdio_connection_closed"),
    signalled(heddle, log),
  ]);
  await heddle.close();
  log.info("processor task exited", {
    exit_reason: exitReason,
    remaining_connection_count: 0,
    shutdown_forced: exitReason === "forced_signal_restart",
  });
  await flush(process.stdout);
  // Whatever a client left open on our side must not keep the process alive.
  process.exit(0);
}

function signalled(heddle: Heddle, log: Logger): Promise<ExitReason> {
  return new Promise((end) => {
    let draining = false;
    const drain = () => {
      draining = true;
      log.info("shutting down once the running turns have ended");
      void heddle.whenIdle().then(() => end("graceful_signal_restart"));
    };
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => (draining ? end("forced_signal_restart") : drain()));
    }
    process.on("SIGHUP", () => draining || drain());
  });
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
