/** What every command has in common that runs a server: how it ends. */
import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { logFailure, once } from "../../base/tasks.ts";
import { hasStuckThreads } from "../../base/thread-pool.ts";
import type { RunningTurn } from "../../runtime/threads/running-turn.ts";
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

export interface EndingListeners {
  /** Called once when it is to end, before running turns are waited for; what it returns is given a while. */
  readonly onEnding?: () => Promise<void>;
  /** Called from time to time with what is waited for. */
  readonly onWaiting?: (text: string) => void;
}

/**
 * Keeps a server running until it is to end, and ends it well. SIGTERM and SIGINT let running turns
 * finish first, for a limited time, and a second one does not; SIGHUP lets them finish however often it comes. A failure that
 * nobody handles ends it as well, but what other clients have is brought to an end first.
 */
export async function runUntilEnd(
  heddle: Heddle,
  log: Logger & Partial<Pick<ServerLog, "settled">>,
  ended: Promise<void>,
  { onEnding = async () => {}, onWaiting = () => {} }: EndingListeners = {},
): Promise<number> {
  collectWhenIdle(systemClock, createProcessHeap());
  const ending = once(onEnding);
  const exitReason = await Promise.race([
    ended.then((): ExitReason => "stdio_connection_closed"),
    signalled(heddle, log, { begin: () => void ending.get(), say: onWaiting }),
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

interface Ending {
  /** Called once when it is to end. */
  readonly begin: () => void;
  readonly say: (text: string) => void;
}

function signalled(heddle: Heddle, log: Logger, { begin, say }: Ending): Promise<ExitReason> {
  return new Promise((end) => {
    let draining = false;
    const drain = () => {
      draining = true;
      begin();
      log.info("shutting down once the running turns have ended");
      void drainInTime(heddle, log, say).then(() => end("graceful_signal_restart"));
    };
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => (draining ? end("forced_signal_restart") : drain()));
    }
    process.on("SIGHUP", () => draining || drain());
  });
}

/** How often it is said what is waited for. */
const SAY_EVERY_MS = 15_000;

/** Turns that do not end in time, for example because nobody answers their question, are interrupted by the end. */
async function drainInTime(heddle: Heddle, log: Logger, say: (text: string) => void): Promise<void> {
  const { drainMs } = heddle.limits();
  const tell = (): void => {
    const running = heddle.running();
    if (running.length === 0) return;
    const shown = describeRunning(running, drainMs);
    log.info("waiting for running turns", { turns: shown });
    say(shown);
  };
  tell();
  const timer = setInterval(tell, SAY_EVERY_MS);
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
