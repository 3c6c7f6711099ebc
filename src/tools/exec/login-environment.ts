/**
 * The environment that a login shell makes of the one it is given. Its start-up files can cost hundreds of
 * milliseconds, so they are run once in the background; commands then start from what they left.
 */
import type { Clock } from "../../base/clock.ts";
import type { ProcessHost } from "../process/process-host.ts";
import { type Shell, type ShellKind, shellArguments } from "./shell.ts";

export interface LoginEnvironments {
  /** The environment, or null when it is not known yet; asking for it starts finding it out. */
  get(shell: Shell, given: Readonly<Record<string, string>>): Readonly<Record<string, string>> | null;
}

interface LoginEnvironmentOptions {
  readonly host: ProcessHost;
  readonly clock: Clock;
  /** Where the shell is started. */
  readonly folder: string;
}

/** How long start-up files may take, how long what they left is good, and how many are kept. */
const CAPTURE_TIMEOUT_MS = 10_000;
const FRESH_MS = 15 * 60_000;
const MAX_KEPT = 8;
const MAX_BYTES = 4 << 20;

const MARK = "heddle-environment-follows";
const RC_FILES: Readonly<Record<ShellKind, string>> = {
  bash: 'if [ -z "$BASH_ENV" ] && [ -r "$HOME/.bashrc" ]; then . "$HOME/.bashrc"; fi',
  zsh: 'rc="${ZDOTDIR:-$HOME}/.zshrc"; if [ -r "$rc" ]; then . "$rc"; fi',
  sh: 'if [ -n "$ENV" ] && [ -r "$ENV" ]; then . "$ENV"; fi',
};
/** They belong to the shell that ran, not to the next. */
const NOT_KEPT = new Set(["PWD", "OLDPWD", "SHLVL", "_"]);

interface Kept {
  readonly at: number;
  readonly environment: Readonly<Record<string, string>> | null;
}

export function createLoginEnvironments(options: LoginEnvironmentOptions): LoginEnvironments {
  const kept = new Map<string, Kept>();
  const running = new Set<string>();

  function find(key: string, shell: Shell, given: Readonly<Record<string, string>>): void {
    if (running.has(key)) return;
    running.add(key);
    void capture(options, shell, given).then((environment) => {
      running.delete(key);
      kept.delete(key);
      kept.set(key, { at: options.clock.now(), environment });
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_KEPT) break;
        kept.delete(oldest);
      }
    });
  }

  return {
    get(shell, given) {
      const key = JSON.stringify([shell.path, given]);
      const known = kept.get(key);
      if (known === undefined || options.clock.now() - known.at > FRESH_MS) find(key, shell, given);
      return known?.environment ?? null;
    },
  };
}

async function capture(
  { host, clock, folder }: LoginEnvironmentOptions,
  shell: Shell,
  given: Readonly<Record<string, string>>,
): Promise<Record<string, string> | null> {
  const script = `${RC_FILES[shell.kind]}\nprintf '%s\\0' ${MARK}\nexec /usr/bin/env -0`;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const outcome = await host.start(
    { argv: shellArguments(shell, script, true), cwd: folder, env: given },
    (chunk, stream) => {
      bytes += chunk.length;
      if (stream === "stdout" && bytes <= MAX_BYTES) chunks.push(chunk);
    },
  );
  if (outcome.kind === "failed") return null;
  const { process } = outcome;
  const cancel = clock.after(CAPTURE_TIMEOUT_MS, () => process.release());
  const { code } = await process.exited;
  await process.closed;
  cancel();
  process.release();
  return code === 0 && bytes <= MAX_BYTES ? parse(Buffer.concat(chunks).toString("utf8"), given) : null;
}

function parse(text: string, given: Readonly<Record<string, string>>): Record<string, string> | null {
  const start = text.lastIndexOf(`${MARK}\0`);
  if (start < 0) return null;
  const entries = text
    .slice(start + MARK.length + 1)
    .split("\0")
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const)
    .filter(([name]) => name !== "" && !NOT_KEPT.has(name));
  const shell = Object.entries(given).filter(([name]) => NOT_KEPT.has(name));
  return Object.fromEntries([...shell, ...entries]);
}
