/** The shutdown that all commands which run a server share. */
import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { logFailure, once } from "../../base/tasks.ts";
import { hasStuckThreads } from "../../base/thread-pool.ts";
import type { RunningTurn } from "../../runtime/threads/running-turn.ts";
import type { Heddle } from "../../server/heddle.ts";
import { collectWhenIdle, createProcessHeap } from "./idle-collector.ts";
import type { ServerLog } from "./open-log.ts";

/** The timeout for flushing pending output to a client. */
const FLUSH_MS = 2000;
/** The timeout of a shutdown after an unhandled failure. */
const FAILED_SHUTDOWN_MS = 10_000;

type ExitReason =
  | "stdio_connection_closed"
  | "graceful_signal_restart"
  | "forced_signal_restart"
  | "unhandled_failure";

export interface ShutdownListeners {
  /**
   * Called once when the shutdown begins, before running turns are awaited; its promise is awaited for a limited time.
   */
  readonly onEnding?: () => Promise<void>;
  /** Called periodically with the turns that are awaited. */
  readonly onWaiting?: (text: string) => void;
}

/**
 * Runs a server until it is shut down, and returns the exit code. SIGTERM and SIGINT let running turns finish, within a
 * time limit, and a second one interrupts them; SIGHUP always lets them finish. An unhandled rejection also shuts the
 * server down, after the work of its clients has been closed.
 */
export async function runUntilEnd(
  heddle: Heddle,
  log: Logger & Partial<Pick<ServerLog, "settled">>,
  ended: Promise<void>,
  { onEnding = async () => {}, onWaiting = () => {} }: ShutdownListeners = {},
): Promise<number> {
  collectWhenIdle(systemClock, createProcessHeap(systemClock));
  const ending = once(onEnding);
  const exitReason = await Promise.race([
    ended.then((): ExitReason => "stdio_connection_closed"),
    signalled(heddle, log, { begin: () => void ending.get(), report: onWaiting }),
    failed(log),
  ]);
  const notified = ending.get();
  let code = exitReason === "unhandled_failure" ? 1 : 0;
  // The shutdown itself may depend on what has failed.
  if (code !== 0) setTimeout(() => process.exit(code), FAILED_SHUTDOWN_MS).unref();
  await heddle.close().catch((error: unknown) => {
    logFailure(log, "closing the server", error);
    code = 1;
  });
  log.info("processor task exited", {
    exit_reason: exitReason,
    remaining_connection_count: 0,
    shutdown_forced: exitReason === "forced_signal_restart",
  });
  await Promise.race([Promise.all([log.settled?.(), notified]), passed(FLUSH_MS)]);
  return endProcess(code);
}

/**
 * Exits the process after its output is flushed. Open handles must not keep it alive, nor threads that wait for an
 * unresponsive mount, which cannot be ended and would block a normal exit.
 */
export async function endProcess(code: number): Promise<never> {
  await flush(process.stdout);
  if (hasStuckThreads()) process.kill(process.pid, "SIGKILL");
  process.exit(code);
}

interface Ending {
  /** Called once when the shutdown begins. */
  readonly begin: () => void;
  readonly report: (text: string) => void;
}

function signalled(heddle: Heddle, log: Logger, { begin, report }: Ending): Promise<ExitReason> {
  return new Promise((end) => {
    let draining = false;
    const drain = () => {
      draining = true;
      begin();
      log.info("shutting down once the running turns have ended");
      void drainInTime(heddle, log, report).then(() => end("graceful_signal_restart"));
    };
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => (draining ? end("forced_signal_restart") : drain()));
    }
    process.on("SIGHUP", () => draining || drain());
  });
}

/** The interval of progress reports. */
const REPORT_INTERVAL_MS = 15_000;

/** Interrupts turns that do not end in time, for example because no client answers their question. */
async function drainInTime(heddle: Heddle, log: Logger, report: (text: string) => void): Promise<void> {
  const { drainMs } = heddle.limits();
  const reportRunning = (): void => {
    const running = heddle.running();
    if (running.length === 0) return;
    const shown = describeRunning(running, drainMs);
    log.info("waiting for running turns", { turns: shown });
    report(shown);
  };
  reportRunning();
  const timer = setInterval(reportRunning, REPORT_INTERVAL_MS);
  const isDone = await Promise.race([
    heddle.drain().then(() => true),
    new Promise<boolean>((resolve) => void setTimeout(resolve, drainMs, false).unref()),
  ]);
  clearInterval(timer);
  if (isDone) return;
  const turns = describeRunning(heddle.running(), drainMs);
  log.warn("running turns did not end in time, and are interrupted", { turns });
}

const MAX_NAMED = 5;

function describeRunning(running: readonly RunningTurn[], drainMs: number): string {
  const named = running
    .slice(0, MAX_NAMED)
    .map(({ threadId, turnId, isAsking }) => {
      const what = isAsking ? "waits for an answer of a client" : "runs";
      return `turn ${turnId} of thread ${threadId} ${what}`;
    })
    .join("; ");
  const more = running.length > MAX_NAMED ? `; and ${running.length - MAX_NAMED} more` : "";
  return `${named}${more} (at most ${Math.round(drainMs / 1000)} s: limits.drain_timeout_sec)`;
}

function failed(log: Logger): Promise<ExitReason> {
  return new Promise((end) => {
    process.on("unhandledRejection", (error) => {
      logFailure(log, "a task that is not awaited", error);
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
