/**
 * Reads the environment variables of a service manager such as systemd: the notification socket, the watchdog timeout
 * and the passed descriptors. They are removed from the environment, so that no child process uses them.
 */
import { AppError } from "../../base/errors.ts";

export interface ServiceVariables {
  /** The address of the manager's notification socket; null without one. */
  readonly notifySocket: string | null;
  /** The watchdog timeout; null without a watchdog. */
  readonly watchdogMs: number | null;
  readonly descriptors: readonly PassedDescriptor[];
}

/** A descriptor that the manager has opened for this process. */
export interface PassedDescriptor {
  readonly fd: number;
  /** The name that the unit gives it. */
  readonly name: string;
}

type Variables = Record<string, string | undefined>;

const NAMES = [
  "NOTIFY_SOCKET",
  "WATCHDOG_USEC",
  "WATCHDOG_PID",
  "LISTEN_FDS",
  "LISTEN_PID",
  "LISTEN_PIDFDID",
  "LISTEN_FDNAMES",
] as const;

const FIRST_DESCRIPTOR = 3;
const MAX_DESCRIPTORS = 64;

/** Throws an error for the user where the number of descriptors is invalid. */
export function takeServiceVariables(env: Variables, pid: number): ServiceVariables {
  const given: Variables = {};
  for (const name of NAMES) {
    given[name] = env[name];
    delete env[name];
  }
  return {
    notifySocket: given["NOTIFY_SOCKET"] || null,
    watchdogMs: watchdogOf(given, pid),
    descriptors: descriptorsOf(given, pid),
  };
}

function watchdogOf({ WATCHDOG_USEC: microseconds = "", WATCHDOG_PID: targetPid }: Variables, pid: number) {
  if (targetPid !== undefined && targetPid !== String(pid)) return null;
  const isTime = /^\d{1,15}$/.test(microseconds) && Number(microseconds) > 0;
  return isTime ? Number(microseconds) / 1000 : null;
}

/** Ignores descriptors for another process, such as a parent. */
function descriptorsOf(given: Variables, pid: number): PassedDescriptor[] {
  const { LISTEN_FDS: text, LISTEN_PID: targetPid, LISTEN_FDNAMES: names = "" } = given;
  if (text === undefined || targetPid !== String(pid)) return [];
  const count = /^\d{1,9}$/.test(text) ? Number(text) : null;
  if (count === null || count > MAX_DESCRIPTORS) {
    throw new AppError(
      "service.descriptors",
      `LISTEN_FDS is ${JSON.stringify(text.slice(0, 20))}: up to ${MAX_DESCRIPTORS} sockets can be taken over from the service manager`,
    );
  }
  const labels = names.split(":", count);
  return Array.from({ length: count }, (_, at) => ({ fd: FIRST_DESCRIPTOR + at, name: labels[at] ?? "" }));
}
