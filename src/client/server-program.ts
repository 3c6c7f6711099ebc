/** A server process that a client starts, connects to over its standard streams, and ends with itself. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { silentLogger } from "../base/logger.ts";
import { openStdio } from "../transport/stdio.ts";
import { type CloseReason, defaultTransportLimits, type Transport } from "../transport/transport.ts";
import { ConnectionError } from "./connection-error.ts";
import { MAX_MESSAGE_BYTES } from "./link.ts";

export interface ServerProgram {
  /** The program. Defaults to the command line of this package. */
  readonly command?: string;
  /** Its arguments. Defaults to `["app-server"]`. */
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const COMMAND_LINE = "cli.js";
/** The retained tail of stderr, which names the reason of a failure. */
const MAX_STDERR_CHARACTERS = 2000;
const GRACE_MS = 5000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export async function startServerProgram(program: ServerProgram): Promise<Transport> {
  const { cwd, env, args = ["app-server"] } = program;
  const [command, ...before] = program.command === undefined ? ownCommand() : [program.command];
  const child = spawn(command, [...before, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env }),
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", ({ message }) =>
      reject(new ConnectionError("refused", `cannot start ${command}: ${message}`)),
    );
  });
  return toTransport(child, command);
}

/** This package's own server, with the Node that runs this program. */
function ownCommand(): [string, ...string[]] {
  const here = dirname(fileURLToPath(import.meta.url));
  const candidates = [here, dirname(here), dirname(dirname(here))].map((folder) =>
    join(folder, COMMAND_LINE),
  );
  const file = candidates.find((candidate) => existsSync(candidate));
  if (file !== undefined) return [process.execPath, file];
  throw new ConnectionError(
    "refused",
    `there is no ${COMMAND_LINE} in this package: name the program to start`,
  );
}

function toTransport(child: Child, command: string): Transport {
  const limits = { ...defaultTransportLimits, messageBytes: MAX_MESSAGE_BYTES };
  const stdio = openStdio({
    input: child.stdout,
    output: child.stdin,
    limits: () => limits,
    log: silentLogger,
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-MAX_STDERR_CHARACTERS);
  });
  const gone = new Promise<CloseReason>((resolve) => {
    child.once("close", (code, signal) => resolve(toCloseReason(command, code ?? signal, said)));
  });
  let isEnding = false;

  return {
    ...stdio,
    start(receiver) {
      stdio.start({
        message: (text) => receiver.message(text),
        // The exit tells why the stream ended, and all output has been read by then.
        closed: () => void gone.then((reason) => receiver.closed(isEnding ? { kind: "ended" } : reason)),
      });
    },
    close() {
      isEnding = true;
      stdio.close();
      child.stdin.end();
      // A server exits when its input ends; one that hangs must not keep this program alive.
      const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
      void gone.then(() => clearTimeout(timer));
    },
  };
}

function toCloseReason(command: string, ending: number | string | null, said: string): CloseReason {
  const last = said.trim();
  return { kind: "failed", message: `${command} ended (${ending})${last === "" ? "" : `: ${last}`}` };
}
