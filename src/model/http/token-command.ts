/** A bearer token that is printed by a configured program. */
import { type ExecFileException, execFile } from "node:child_process";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { ModelDeps, TokenCommandSettings } from "../provider-settings.ts";

export type TokenResult =
  | { readonly kind: "token"; readonly token: string }
  /** Why there is no token; the message is for the user. */
  | { readonly kind: "fault"; readonly message: string };

export interface TokenSource {
  /** Concurrent callers share one run of the program. */
  get(): Promise<TokenResult>;
  /** Drops a token that the provider has rejected. */
  discard(token: string): void;
}

export interface TokenSourceDeps {
  readonly clock: Pick<Clock, "monotonic">;
  readonly env: Environment;
  /** Null, or why a program must not be run. */
  readonly refuseProgram?: ModelDeps["refuseProgram"];
}

const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_STDERR_LENGTH = 500;

export function createTokenSource(command: TokenCommandSettings, deps: TokenSourceDeps): TokenSource {
  const { clock } = deps;
  const { refreshIntervalMs } = command;
  let cached: { readonly token: string; readonly at: number } | null = null;
  let pending: Promise<TokenResult> | null = null;

  async function fetchToken(): Promise<TokenResult> {
    const answer = await run(command, deps);
    if (answer.kind === "token") cached = { token: answer.token, at: clock.monotonic() };
    pending = null;
    return answer;
  }

  return {
    async get() {
      const isFresh =
        cached !== null && (refreshIntervalMs === 0 || clock.monotonic() - cached.at < refreshIntervalMs);
      if (cached !== null && isFresh) return { kind: "token", token: cached.token };
      pending ??= fetchToken();
      return pending;
    },
    discard(token) {
      if (cached?.token === token) cached = null;
    },
  };
}

function run(
  { command, args, timeoutMs, cwd }: TokenCommandSettings,
  { env, refuseProgram }: TokenSourceDeps,
): Promise<TokenResult> {
  const options = {
    env: { ...env },
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    maxBuffer: MAX_OUTPUT_BYTES,
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
      if (error !== null) resolve(fault(`${reasonOf(error, timeoutMs)}${stderrSuffix(stderr)}`));
      else if (token === "") resolve(fault("printed nothing"));
      else resolve(isToken(token) ? { kind: "token", token } : fault("printed more than a token"));
    });
    child.stdin?.end();
  });
}

/** Whether the text is one line of characters that are valid in a header. */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

function reasonOf({ killed, code, message }: ExecFileException, timeoutMs: number): string {
  if (killed === true && code !== "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
    return `did not end in ${timeoutMs} ms`;
  return typeof code === "number" ? `ended with exit code ${code}` : `failed: ${message}`;
}

function stderrSuffix(stderr: string): string {
  const text = stderr.trim();
  return text === "" ? "" : `: ${text.slice(0, MAX_STDERR_LENGTH)}`;
}
