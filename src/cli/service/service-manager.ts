/**
 * Sends the server's state to a service manager such as systemd. Node cannot open datagram unix sockets, so
 * notifications go through a descriptor that the unit has opened (`OpenFile=/run/systemd/notify:notify`), or else
 * through the program `systemd-notify`, which the unit must authorise (`NotifyAccess=all`).
 */
import { execFile } from "node:child_process";
import { existsSync, write } from "node:fs";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { PassedDescriptor, ServiceVariables } from "./service-variables.ts";

export interface ServiceManager {
  /** Sockets to listen on, instead of those of the command line. */
  readonly sockets: readonly PassedDescriptor[];
  /** Paths that sandboxed commands must not reach, because they could notify the manager in the server's name. */
  readonly files: readonly string[];
  /** The watchdog timeout; null without a watchdog. */
  readonly watchdogMs: number | null;
  /** Sends lines such as `READY=1`, without line breaks. Resolves when they were sent or sending has failed. */
  notify(...lines: readonly string[]): Promise<void>;
}

/** The name that the unit gives to the notification descriptor. */
const NOTIFY_NAME = "notify";
/** Absolute paths, because PATH may contain folders that commands can write. */
const PROGRAMS = [
  "/usr/bin/systemd-notify",
  "/bin/systemd-notify",
  "/run/current-system/sw/bin/systemd-notify",
];
const PROGRAM_MS = 5000;

type Send = (text: string) => Promise<void>;

export function createServiceManager(variables: ServiceVariables, log: Logger): ServiceManager {
  const { notifySocket } = variables;
  const send = createSender(variables);
  let hasFailed = false;
  let last = Promise.resolve();

  async function attempt(text: string): Promise<void> {
    try {
      await send?.(text);
    } catch (error) {
      // Logged once, because every watchdog ping would repeat it.
      if (!hasFailed) log.error(NOTIFY_FAILED, { reason: messageOf(error) });
      hasFailed = true;
    }
  }

  return {
    sockets: variables.descriptors.filter(({ name }) => name !== NOTIFY_NAME),
    files: notifySocket?.startsWith("/") === true ? [notifySocket] : [],
    watchdogMs: send === null ? null : variables.watchdogMs,
    notify(...lines) {
      // In order: two programs, or two threads that write, would race.
      last = last.then(() => attempt(lines.join("\n")));
      return last;
    },
  };
}

const NOTIFY_FAILED =
  "the service manager could not be notified; check NotifyAccess and OpenFile of the unit";

function createSender({ notifySocket, descriptors }: ServiceVariables): Send | null {
  if (notifySocket === null) return null;
  const open = descriptors.find(({ name }) => name === NOTIFY_NAME);
  return open === undefined ? sendWithProgram(notifySocket) : sendToDescriptor(open.fd);
}

/** One write is one datagram. It runs on a thread, so that a manager that does not read cannot block the event loop. */
function sendToDescriptor(fd: number): Send {
  return (text) =>
    new Promise((resolve, reject) => {
      write(fd, text, (error) => (error === null ? resolve() : reject(error)));
    });
}

function sendWithProgram(notifySocket: string): Send {
  const program = PROGRAMS.find((path) => existsSync(path));
  if (program === undefined) return () => Promise.reject(new Error("systemd-notify is not installed"));
  const options = { env: { NOTIFY_SOCKET: notifySocket }, timeout: PROGRAM_MS };
  return (text) =>
    new Promise((resolve, reject) => {
      const end = (error: Error | null): void => (error === null ? resolve() : reject(error));
      execFile(program, text.split("\n"), options, end);
    });
}
