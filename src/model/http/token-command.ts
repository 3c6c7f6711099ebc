/** The bearer token of a provider whose user has a program that prints it. */
import { type ExecFileException, execFile } from "node:child_process";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { ModelDeps, TokenCommand } from "../provider-settings.ts";

export type TokenResult =
  | { readonly kind: "token"; readonly token: string }
  /** Why there is none, in words for the user. */
  | { readonly kind: "fault"; readonly message: string };

export interface TokenSource {
  /** Whoever asks while the program runs shares what it prints. */
  get(): Promise<TokenResult>;
  /** The provider has refused this one. */
  discard(token: string): void;
}

export interface TokenSourceDeps {
  readonly clock: Pick<Clock, "monotonic">;
  readonly env: Environment;
  /** Why a program is not to be run, or null. */
  readonly refuseProgram?: ModelDeps["refuseProgram"];
}

const MAX_PRINTED_BYTES = 1024 * 1024;
const MAX_SHOWN_STDERR = 500;

export function createTokenSource(command: TokenCommand, deps: TokenSourceDeps): TokenSource {
  const { clock } = deps;
  const { refreshIntervalMs } = command;
  let known: { readonly token: string; readonly at: number } | null = null;
  let asking: Promise<TokenResult> | null = null;

  async function ask(): Promise<TokenResult> {
    const answer = await run(command, deps);
    if (answer.kind === "token") known = { token: answer.token, at: clock.monotonic() };
    asking = null;
    return answer;
  }

  return {
    async get() {
      const isFresh =
        known !== null && (refreshIntervalMs === 0 || clock.monotonic() - known.at < refreshIntervalMs);
      if (known !== null && isFresh) return { kind: "token", token: known.token };
      asking ??= ask();
      return asking;
    },
    discard(token) {
      if (known?.token === token) known = null;
    },
  };
}

function run(
  { command, args, timeoutMs, cwd }: TokenCommand,
  { env, refuseProgram }: TokenSourceDeps,
): Promise<TokenResult> {
  const options = {
    env: { ...env },
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    maxBuffer: MAX_PRINTED_BYTES,
    encoding: "utf8",
    ...(cwd === null ? {} : { cwd }),
  } as const;
  const fault = (reason: string): TokenResult => ({
    kind: "fault",
    message: `the program \`${command}\`, which prints the token for the provider, ${reason}`,
  });
  const refused = refuseProgram?.([command, ...args], cwd) ?? null;
  if (refused !== null) return Promise.resolve(fault(`was not run: ${refused}`));
  return new Promise((resolve) => {
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      const token = stdout.trim();
      if (error !== null) resolve(fault(`${reasonOf(error, timeoutMs)}${shownStderr(stderr)}`));
      else if (token === "") resolve(fault("printed nothing"));
      else resolve(isToken(token) ? { kind: "token", token } : fault("printed more than a token"));
    });
    child.stdin?.end();
  });
}

/** What a header can carry, on one line. */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

function reasonOf({ killed, code, message }: ExecFileException, timeoutMs: number): string {
  if (killed === true && code !== "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
    return `did not end in ${timeoutMs} ms`;
  return typeof code === "number" ? `ended with exit code ${code}` : `failed: ${message}`;
}

function shownStderr(stderr: string): string {
  const text = stderr.trim();
  return text === "" ? "" : `: ${text.slice(0, MAX_SHOWN_STDERR)}`;
}
