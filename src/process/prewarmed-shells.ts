/**
 * A host with prewarmed bash processes. Starting a shell takes longer than most hooks run, so each used shell is replaced
 * by an idle one, which waits for its script in the same folder and with the same environment. Idle shells that are not
 * used for a while are ended.
 */
import { basename } from "node:path";
import type { Clock } from "../base/clock.ts";
import type {
  OutputListener,
  ProcessHost,
  ProcessSpec,
  ProcessStartOutcome,
  RunningProcess,
} from "./process-host.ts";

export interface PrewarmedShellsOptions {
  readonly host: ProcessHost;
  readonly clock: Clock;
  /** How long idle shells are retained after the last use of their pool. */
  readonly idleMs?: number;
  /** The maximum number of idle shells over all pools. */
  readonly maxIdle?: number;
}

/** Long enough for the minutes between two prompts of a user. */
const IDLE_MS = 5 * 60_000;
/** An idle shell has 0.3 MB of memory of its own, so that all of them together take about 20 MB. */
const MAX_IDLE = 64;
/**
 * Replacements start when no shell has ended for this time, so that they do not compete for CPU time with the commands that
 * run at once and with what follows them.
 */
const REFILL_MS = 10;
/** While shells keep ending, replacements are delayed by this at most. */
const MAX_REFILL_DELAY_MS = 100;
/** Bash reads the script byte by byte, to leave the rest of stdin to the script, so longer scripts are not worth it. */
const MAX_SCRIPT_LENGTH = 4096;
/** An idle shell that writes more than this before it gets a script is discarded. */
const MAX_BUFFERED_BYTES = 1 << 16;

/**
 * Reads the script from stdin and runs it as `bash -c` would at that time: in the folder that then has the name of cwd,
 * and without traces of the waiting.
 */
const IDLE_SCRIPT = [
  // `builtin`, because exported functions in the environment may have any name.
  'IFS= builtin read -rd "" __heddle_script || builtin exit',
  // The path of cwd may contain symlinks, and the shell may have resolved it to another one.
  '[[ . -ef $1 && . -ef $PWD ]] || builtin cd -P -- "$1" || builtin exit',
  "builtin set --",
  "SECONDS=0",
  'builtin eval "builtin unset -v __heddle_script; $__heddle_script"',
].join("; ");

/** Closing it ends the idle shells, but not the host, which is shared. */
export function openPrewarmedShells(options: PrewarmedShellsOptions): ProcessHost {
  const { host, clock, idleMs = IDLE_MS, maxIdle = MAX_IDLE } = options;
  /** By shell, folder and environment, in order of last use. */
  const pools = new Map<string, ShellPool>();
  let isClosed = false;
  let isRefilling = false;
  const refillWhenQuiet = createQuietTimer(clock, () => {
    if (!isRefilling) void refill();
  });

  function poolFor(spec: ProcessSpec): ShellPool {
    const key = JSON.stringify([spec.argv[0], spec.cwd, spec.env]);
    const pool = pools.get(key) ?? { spec, idle: [], running: 0, targetSize: 0, cancelExpiry() {} };
    pools.delete(key);
    pools.set(key, pool);
    pool.cancelExpiry();
    pool.cancelExpiry = clock.after(idleMs, () => clear(key, pool));
    const [oldest] = pools;
    if (pools.size > maxIdle && oldest !== undefined) clear(...oldest);
    return pool;
  }

  function clear(key: string, pool: ShellPool): void {
    pools.delete(key);
    pool.targetSize = 0;
    pool.cancelExpiry();
    for (const { process } of pool.idle.splice(0)) process.release();
  }

  /** Serially, so that a concurrent start waits for at most one of them. */
  async function refill(): Promise<void> {
    isRefilling = true;
    for (
      let pool = findUnderfilledPool();
      pool !== undefined && evictIdleShell(pool);
      pool = findUnderfilledPool()
    ) {
      const shell = await startIdleShell(host, pool.spec);
      if ("kind" in shell) pool.targetSize = 0;
      else if (isClosed || pool.targetSize === 0) shell.process.release();
      else pool.idle.push(shell);
    }
    isRefilling = false;
  }

  const findUnderfilledPool = (): ShellPool | undefined =>
    [...pools.values()].findLast(({ idle, running, targetSize }) => idle.length + running < targetSize);

  /** Evicts the least recently used pools; false if that does not free a slot. */
  function evictIdleShell(pool: ShellPool): boolean {
    let idle = [...pools.values()].reduce((sum, each) => sum + each.idle.length, 0);
    for (const [key, other] of pools) {
      if (idle < maxIdle || other === pool) break;
      idle -= other.idle.length;
      clear(key, other);
    }
    return idle < maxIdle;
  }

  return {
    async start(spec, onOutput) {
      const script = scriptOf(spec);
      if (script === null || isClosed) return host.start(spec, onOutput);
      const pool = poolFor(spec);
      pool.running += 1;
      pool.targetSize = Math.max(pool.targetSize, pool.running);
      const shell = takeIdle(pool) ?? (await startIdleShell(host, spec));
      if ("kind" in shell) {
        pool.running -= 1;
        return shell;
      }
      const { process, output } = shell;
      output.forwardTo(onOutput);
      process.write(Buffer.from(`${script}\0`));
      void process.exited.then(() => {
        pool.running -= 1;
        refillWhenQuiet();
      });
      return { kind: "started", process };
    },
    async close() {
      isClosed = true;
      for (const [key, pool] of pools) clear(key, pool);
    },
  };
}

type Failed = Extract<ProcessStartOutcome, { kind: "failed" }>;

interface ShellPool {
  readonly spec: ProcessSpec;
  readonly idle: IdleShell[];
  running: number;
  /** The maximum number of shells that ran concurrently. */
  targetSize: number;
  cancelExpiry: () => void;
}

interface IdleShell {
  readonly process: RunningProcess;
  readonly output: BufferedOutput;
  hasExited: boolean;
}

/** Acts when the returned function has not been called for REFILL_MS, or MAX_REFILL_DELAY_MS after its first call. */
function createQuietTimer(clock: Clock, act: () => void): () => void {
  let latest: number | null = null;
  let cancel = (): void => {};
  return () => {
    const now = clock.monotonic();
    latest ??= now + MAX_REFILL_DELAY_MS;
    cancel();
    cancel = clock.after(Math.max(0, Math.min(REFILL_MS, latest - now)), () => {
      latest = null;
      act();
    });
  };
}

async function startIdleShell(host: ProcessHost, spec: ProcessSpec): Promise<IdleShell | Failed> {
  const [shell = ""] = spec.argv;
  const output = createBufferedOutput();
  const outcome = await host.start(
    { ...spec, argv: [shell, "-c", IDLE_SCRIPT, shell, spec.cwd] },
    output.push,
  );
  if (outcome.kind === "failed") return outcome;
  const idle = { process: outcome.process, output, hasExited: false };
  void outcome.process.exited.then(() => {
    idle.hasExited = true;
  });
  return idle;
}

function takeIdle({ idle }: ShellPool): IdleShell | null {
  for (let shell = idle.pop(); shell !== undefined; shell = idle.pop()) {
    if (!shell.hasExited && !shell.output.hasOverflowed()) return shell;
    shell.process.release();
  }
  return null;
}

/** The script of the command; null if a prewarmed shell would run it differently. */
function scriptOf({ argv, env, input, terminal }: ProcessSpec): string | null {
  const [shell = "", flag, script] = argv;
  const isBash = basename(shell) === "bash" && flag === "-c" && argv.length === 3;
  if (!isBash || script === undefined || script.length > MAX_SCRIPT_LENGTH || script.includes("\0"))
    return null;
  // A startup file may have changed by the time the script runs.
  return input === "pipe" && terminal === undefined && env["BASH_ENV"] === undefined ? script : null;
}

interface BufferedOutput {
  readonly push: OutputListener;
  /** Delivers the buffered output, and from then on all further output. */
  forwardTo(onOutput: OutputListener): void;
  hasOverflowed(): boolean;
}

/** Buffers output until its listener is known. */
function createBufferedOutput(): BufferedOutput {
  const chunks: Parameters<OutputListener>[] = [];
  let bufferedBytes = 0;
  let listener: OutputListener | null = null;
  return {
    push(chunk, stream) {
      if (listener !== null) listener(chunk, stream);
      else if (bufferedBytes <= MAX_BUFFERED_BYTES) {
        bufferedBytes += chunk.length;
        chunks.push([Buffer.from(chunk), stream]);
      }
    },
    forwardTo(onOutput) {
      listener = onOutput;
      for (const [chunk, stream] of chunks.splice(0)) onOutput(chunk, stream);
    },
    hasOverflowed: () => bufferedBytes > MAX_BUFFERED_BYTES,
  };
}
