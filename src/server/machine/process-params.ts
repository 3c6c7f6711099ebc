/** Params that `command/exec` and `process/spawn` have in common. */

import type { Environment } from "../../base/environment.ts";
import type { TerminalSize } from "../../process/process-host.ts";
import { invalidParams } from "../connections/handler.ts";
import { type ClientProcessSpec, DEFAULT_TERMINAL } from "./client-process.ts";
import { decodeBase64 } from "./decode-base64.ts";

/** Sets the variables of the client; null removes a variable. */
export function overrideEnvironment(
  own: Environment,
  overrides: Readonly<Record<string, string | null>> | null | undefined,
): Environment {
  const entries = Object.entries(overrides ?? {});
  const taken = new Set(entries.flatMap(([name, value]) => (value === null ? [name] : [])));
  const kept = Object.entries(own).filter(([name]) => !taken.has(name));
  const set = entries.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return Object.fromEntries([...kept, ...set]);
}

/** `subject` is the prefix of the error message. */
export function toTerminal({ rows, cols }: TerminalSize, subject: string): TerminalSize {
  if (rows === 0 || cols === 0) throw invalidParams(`${subject} size rows and cols must be greater than 0`);
  return { rows, cols };
}

interface StreamParams {
  readonly tty?: boolean;
  readonly streamStdin?: boolean;
  readonly streamStdoutStderr?: boolean;
  readonly size?: TerminalSize | null;
}

/** The streams of a process; a terminal always has input and streamed output. */
export function readStreams(
  { tty = false, streamStdin = false, streamStdoutStderr = false, size = null }: StreamParams,
  { method, subject }: { readonly method: string; readonly subject: string },
): Pick<ClientProcessSpec, "terminal" | "input" | "streams"> {
  if (size !== null && !tty) throw invalidParams(`${method} size requires tty: true`);
  const terminal = size === null ? DEFAULT_TERMINAL : toTerminal(size, subject);
  return {
    ...(tty ? { terminal } : { input: streamStdin ? "pipe" : "closed" }),
    streams: tty || streamStdoutStderr,
  };
}

interface InputParams {
  readonly deltaBase64?: string | null;
  readonly closeStdin?: boolean;
}

export function readInput({ deltaBase64 = null, closeStdin = false }: InputParams, method: string) {
  if (deltaBase64 === null && !closeStdin)
    throw invalidParams(`${method} requires deltaBase64 or closeStdin`);
  const decoded = decodeBase64(deltaBase64 ?? "");
  if (!decoded.ok) throw invalidParams(`invalid deltaBase64: ${decoded.reason}`);
  return { bytes: decoded.bytes, closes: closeStdin };
}
