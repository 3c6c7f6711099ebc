/** The params that commands and processes of clients have in common. */
import type { Environment } from "../base/environment.ts";
import type { TerminalSize } from "../tools/process/process-host.ts";
import { decodeBase64 } from "./decode-base64.ts";
import { invalidParams } from "./handler.ts";

/** Variables that the client sets, and those that it takes away with null. */
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

/** `subject` is what the size is of, for the text of a refusal. */
export function toTerminal({ rows, cols }: TerminalSize, subject: string): TerminalSize {
  if (rows === 0 || cols === 0) throw invalidParams(`${subject} size rows and cols must be greater than 0`);
  return { rows, cols };
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
