/**
 * What a service manager such as systemd tells a process of itself in the environment: where it listens to notices, how
 * often it wants to hear of life, and which files it has opened for it. The variables are taken away, so that no child
 * takes them for its own.
 */
import { AppError } from "../../base/errors.ts";

export interface ServiceVariables {
  /** Where the manager listens to notices; null where it does not. */
  readonly notifySocket: string | null;
  /** The longest silence before the process counts as hung; null where nobody watches. */
  readonly watchdogMs: number | null;
  readonly descriptors: readonly HandedDescriptor[];
}

/** A file that was opened for this process. */
export interface HandedDescriptor {
  readonly fd: number;
  /** As the unit calls it; whatever it likes. */
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

/** Throws in words where files are handed over that cannot be counted. */
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

function watchdogOf({ WATCHDOG_USEC: microseconds = "", WATCHDOG_PID: meant }: Variables, pid: number) {
  if (meant !== undefined && meant !== String(pid)) return null;
  const isTime = /^\d{1,15}$/.test(microseconds) && Number(microseconds) > 0;
  return isTime ? Number(microseconds) / 1000 : null;
}

/** Those of another process, whose child this one is, are none of its own. */
function descriptorsOf(given: Variables, pid: number): HandedDescriptor[] {
  const { LISTEN_FDS: text, LISTEN_PID: meant, LISTEN_FDNAMES: names = "" } = given;
  if (text === undefined || meant !== String(pid)) return [];
  const count = /^\d{1,9}$/.test(text) ? Number(text) : null;
  if (count === null || count > MAX_DESCRIPTORS) {
    throw new AppError(
      "service.descriptors",
      `LISTEN_FDS is ${JSON.stringify(text.slice(0, 20))}: up to ${MAX_DESCRIPTORS} sockets can be taken over from the service manager`,
    );
  }
  const called = names.split(":", count);
  return Array.from({ length: count }, (_, at) => ({ fd: FIRST_DESCRIPTOR + at, name: called[at] ?? "" }));
}
