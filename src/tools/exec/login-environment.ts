/**
 * Captures the environment that a login shell produces. Start-up files can cost hundreds of milliseconds, so
 * that they run once in the background, and commands start with the captured environment. They run only where
 * no file that they load can have been written by a sandboxed command, because the result is used outside of
 * sandboxes.
 */
import type { Clock } from "../../base/clock.ts";
import type { ProcessHost, ProcessSpec } from "../../process/process-host.ts";
import type { WrapOutcome } from "../../sandbox/sandbox.ts";
import type { SandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import { type Shell, type ShellKind, shellArguments, startUpFiles } from "./shell.ts";

export interface LoginEnvironments {
  /** The captured environment, or null while it is unknown; the first call starts the capture. */
  get(shell: Shell, given: Variables): Variables | null;
  /** Waits for the capture; null where it fails. */
  find(shell: Shell, given: Variables): Promise<Variables | null>;
}

type Variables = Readonly<Record<string, string>>;

interface LoginEnvironmentOptions {
  readonly host: ProcessHost;
  readonly clock: Clock;
  /** Working folder of the shell. */
  readonly folder: string;
  readonly writablePaths: Pick<SandboxWritablePaths, "contains" | "list">;
  /** Wraps the shell in a sandbox that hides all files a sandboxed command could have written. */
  readonly seclude: (spec: ProcessSpec) => Promise<WrapOutcome>;
}

/** Timeout of start-up files, lifetime of a captured environment, and number of cached ones. */
const CAPTURE_TIMEOUT_MS = 10_000;
const FRESH_MS = 15 * 60_000;
const MAX_CACHED = 8;
const MAX_BYTES = 4 << 20;

const MARK = "heddle-environment-follows";
const RC_FILES: Readonly<Record<ShellKind, string>> = {
  bash: 'if [ -z "$BASH_ENV" ] && [ -r "$HOME/.bashrc" ]; then . "$HOME/.bashrc"; fi',
  zsh: 'rc="${ZDOTDIR:-$HOME}/.zshrc"; if [ -r "$rc" ]; then . "$rc"; fi',
  sh: 'if [ -n "$ENV" ] && [ -r "$ENV" ]; then . "$ENV"; fi',
};
/** Variables that belong to the captured shell process itself. */
const EXCLUDED = new Set(["PWD", "OLDPWD", "SHLVL", "_"]);

interface CachedEnvironment {
  readonly at: number;
  readonly environment: Variables | null;
}

export function createLoginEnvironments(options: LoginEnvironmentOptions): LoginEnvironments {
  const cache = new Map<string, CachedEnvironment>();
  const running = new Map<string, Promise<Variables | null>>();
  const { writablePaths } = options;
  const isExposed = (given: Variables) => startUpFiles(given).some((file) => writablePaths.contains(file));

  /** An environment captured before the files became writable stays valid; writable files are never run. */
  async function renew(key: string, shell: Shell, given: Variables): Promise<Variables | null> {
    const before = cache.get(key)?.environment ?? null;
    const environment = isExposed(given) ? before : await capture(options, shell, given);
    running.delete(key);
    cache.delete(key);
    cache.set(key, { at: options.clock.now(), environment });
    for (const oldest of cache.keys()) {
      if (cache.size <= MAX_CACHED) break;
      cache.delete(oldest);
    }
    return environment;
  }

  async function find(shell: Shell, given: Variables): Promise<Variables | null> {
    const key = keyOf(shell, given);
    const known = cache.get(key);
    if (known !== undefined && options.clock.now() - known.at <= FRESH_MS) return known.environment;
    const found = running.get(key) ?? renew(key, shell, given);
    if (cache.get(key) === known) running.set(key, found);
    return found;
  }

  return {
    find,
    get(shell, given) {
      void find(shell, given);
      return cache.get(keyOf(shell, given))?.environment ?? null;
    },
  };
}

function keyOf(shell: Shell, given: Variables): string {
  return JSON.stringify([shell.path, given]);
}

async function capture(
  options: LoginEnvironmentOptions,
  shell: Shell,
  given: Variables,
): Promise<Variables | null> {
  const script = `${RC_FILES[shell.kind]}\nprintf '%s\\0' ${MARK}\nexec /usr/bin/env -0`;
  const spec = { argv: shellArguments(shell, script, true), cwd: options.folder, env: given };
  if (options.writablePaths.list().length === 0) return run(options, spec, given);
  const secluded = await options.seclude(spec);
  if (!secluded.ok) return null;
  const environment = await run(options, { ...spec, argv: secluded.argv, env: secluded.env }, given);
  secluded.release();
  return environment;
}

async function run(
  { host, clock }: LoginEnvironmentOptions,
  spec: ProcessSpec,
  given: Variables,
): Promise<Variables | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const outcome = await host.start(spec, (chunk, stream) => {
    bytes += chunk.length;
    if (stream === "stdout" && bytes <= MAX_BYTES) chunks.push(chunk);
  });
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
    .filter(([name]) => name !== "" && !EXCLUDED.has(name));
  const shell = Object.entries(given).filter(([name]) => EXCLUDED.has(name));
  return Object.fromEntries([...shell, ...entries]);
}
