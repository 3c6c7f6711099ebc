/**
 * Tells a service manager such as systemd how the server fares. Node has no sockets of the kind that it listens on: what
 * is told goes through one that the unit has had opened (`OpenFile=/run/systemd/notify:notify`), or else through the
 * program `systemd-notify`, which the unit must allow to speak for the server (`NotifyAccess=all`).
 */
import { execFile } from "node:child_process";
import { existsSync, write } from "node:fs";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { HandedDescriptor, ServiceVariables } from "./service-variables.ts";

export interface ServiceManager {
  /** The sockets to listen on in place of those that the command line names. */
  readonly sockets: readonly HandedDescriptor[];
  /** Those through which it is told; who else speaks there could be taken for the server. */
  readonly files: readonly string[];
  /** The longest silence before the server counts as hung; null where nobody watches. */
  readonly watchdogMs: number | null;
  /** Resolves when it is told, or cannot be. Lines such as `READY=1`, without line breaks. */
  tell(...lines: readonly string[]): Promise<void>;
}

/** How the unit calls the file through which notices go. */
const NOTIFY_NAME = "notify";
/** Not found by PATH, in which there may be folders that commands can write. */
const PROGRAMS = [
  "/usr/bin/systemd-notify",
  "/bin/systemd-notify",
  "/run/current-system/sw/bin/systemd-notify",
];
const PROGRAM_MS = 5000;

type Send = (text: string) => Promise<void>;

export function createServiceManager(variables: ServiceVariables, log: Logger): ServiceManager {
  const { notifySocket } = variables;
  const send = senderOf(variables);
  let hasFailed = false;
  let last = Promise.resolve();

  async function attempt(text: string): Promise<void> {
    try {
      await send?.(text);
    } catch (error) {
      // With each sign of life it would be said again.
      if (!hasFailed) log.error(CANNOT_TELL, { reason: messageOf(error) });
      hasFailed = true;
    }
  }

  return {
    sockets: variables.descriptors.filter(({ name }) => name !== NOTIFY_NAME),
    files: notifySocket?.startsWith("/") === true ? [notifySocket] : [],
    watchdogMs: send === null ? null : variables.watchdogMs,
    tell(...lines) {
      // In their order: two programs, or two threads that write, would race.
      last = last.then(() => attempt(lines.join("\n")));
      return last;
    },
  };
}

const CANNOT_TELL = "the service manager cannot be told how the server fares";

function senderOf({ notifySocket, descriptors }: ServiceVariables): Send | null {
  if (notifySocket === null) return null;
  const open = descriptors.find(({ name }) => name === NOTIFY_NAME);
  return open === undefined ? throughProgram(notifySocket) : throughDescriptor(open.fd);
}

/** One write is one message. It waits on a thread: a manager that does not read must not stop the loop. */
function throughDescriptor(fd: number): Send {
  return (text) =>
    new Promise((resolve, reject) => {
      write(fd, text, (error) => (error === null ? resolve() : reject(error)));
    });
}

function throughProgram(notifySocket: string): Send {
  const program = PROGRAMS.find((path) => existsSync(path));
  if (program === undefined) return () => Promise.reject(new Error("systemd-notify is not installed"));
  const options = { env: { NOTIFY_SOCKET: notifySocket }, timeout: PROGRAM_MS };
  return (text) =>
    new Promise((resolve, reject) => {
      const end = (error: Error | null): void => (error === null ? resolve() : reject(error));
      execFile(program, text.split("\n"), options, end);
    });
}
