/** What every command has in common that runs a server: how it ends. */
import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { logFailure, once } from "../../base/tasks.ts";
import { hasStuckThreads } from "../../base/thread-pool.ts";
import type { Heddle } from "../../server/heddle.ts";
import { collectWhenIdle, createProcessHeap } from "./idle-collector.ts";
import type { ServerLog } from "./open-log.ts";

/** How long a client may take to read what a server that ends has still to send. */
const FLUSH_MS = 2000;
/** How long a server may take to end after a failure that nobody has thought of. */
const FAULTY_END_MS = 10_000;

type ExitReason =
  | "stdio_connection_closed"
  | "graceful_signal_restart"
  | "forced_signal_restart"
  | "unhandled_failure";

/**
 * Keeps a server running until it is to end, and ends it well. SIGTERM and SIGINT let running turns
 * finish first, and a second one does not; SIGHUP lets them finish however often it comes. A failure that
 * nobody handles ends it as well, but what other clients have is brought to an end first.
 */
export async function runUntilEnd(
  heddle: Heddle,
  log: Logger & Partial<Pick<ServerLog, "settled">>,
  ended: Promise<void>,
  /** Called once when it is to end, before running turns are waited for; what it returns is given a while. */
  onEnding = async (): Promise<void> => {},
): Promise<number> {
  collectWhenIdle(systemClock, createProcessHeap());
  const ending = once(onEnding);
  const exitReason = await Promise.race([
    ended.then((): ExitReason => "stdio_connection_closed"),
    signalled(heddle, log, () => void ending.get()),
    failed(log),
  ]);
  const told = ending.get();
  let code = exitReason === "unhandled_failure" ? 1 : 0;
  // What has failed may be what the end waits for.
  if (code !== 0) setTimeout(() => process.exit(code), FAULTY_END_MS).unref();
  await heddle.close().catch((error: unknown) => {
    logFailure(log, "closing the server", error);
    code = 1;
  });
  log.info("processor task exited", {
    exit_reason: exitReason,
    remaining_connection_count: 0,
    shutdown_forced: exitReason === "forced_signal_restart",
  });
  await Promise.race([Promise.all([log.settled?.(), told]), passed(FLUSH_MS)]);
  return endProcess(code);
}

/**
 * Ends the process once what it has written is read. Whatever a client left open on our side must not keep it alive,
 * nor a mount that does not answer: a process ends its threads before it exits, and those that wait for a disk cannot
 * be ended.
 */
export async function endProcess(code: number): Promise<never> {
  await flush(process.stdout);
  if (hasStuckThreads()) process.kill(process.pid, "SIGKILL");
  process.exit(code);
}

function signalled(heddle: Heddle, log: Logger, onDrain: () => void): Promise<ExitReason> {
  return new Promise((end) => {
    let draining = false;
    const drain = () => {
      draining = true;
      onDrain();
      log.info("shutting down once the running turns have ended");
      void heddle.drain().then(() => end("graceful_signal_restart"));
    };
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => (draining ? end("forced_signal_restart") : drain()));
    }
    process.on("SIGHUP", () => draining || drain());
  });
}

function failed(log: Logger): Promise<ExitReason> {
  return new Promise((end) => {
    process.on("unhandledRejection", (error) => {
      logFailure(log, "something that nobody waited for", error);
      end("unhandled_failure");
    });
  });
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, FLUSH_MS);
    stream.write("", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
