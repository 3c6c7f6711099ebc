/** A server that a client starts for itself, speaks to over its standard streams, and ends with itself. */
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
  /** The program; the command line of this package unless given. */
  readonly command?: string;
  /** What it is called with; `["app-server"]` unless given. */
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const COMMAND_LINE = "cli.js";
/** Of what it says on stderr: the end, which names the reason where it could not go on. */
const KEPT_CHARACTERS = 2000;
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

/** This package's own, with the Node that runs this program. */
function ownCommand(): [string, ...string[]] {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [here, dirname(here), dirname(dirname(here))].map((folder) => join(folder, COMMAND_LINE));
  const file = places.find((place) => existsSync(place));
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
    said = (said + text).slice(-KEPT_CHARACTERS);
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
        // Its end tells why it has nothing more to say; and what it still writes, it has written then.
        closed: () => void gone.then((reason) => receiver.closed(isEnding ? { kind: "ended" } : reason)),
      });
    },
    close() {
      isEnding = true;
      stdio.close();
      child.stdin.end();
      // A server ends when its input does; one that hangs does not keep this program from ending.
      const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
      void gone.then(() => clearTimeout(timer));
    },
  };
}

function toCloseReason(command: string, ending: number | string | null, said: string): CloseReason {
  const last = said.trim();
  return { kind: "failed", message: `${command} ended (${ending})${last === "" ? "" : `: ${last}`}` };
}
