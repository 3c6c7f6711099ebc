/**
 * A host on which scripts of bash begin at once. Starting a shell takes longer than most hooks run: so one that was
 * used is followed by another, which waits for its script in the same folder and with the same environment. What stands
 * ready and is not used for a while is ended.
 */
import { basename } from "node:path";
import type { Clock } from "../base/clock.ts";
import type {
  OutputListener,
  ProcessHost,
  ProcessSpec,
  RunningProcess,
  StartOutcome,
} from "./process-host.ts";

export interface ReadyShellsOptions {
  readonly host: ProcessHost;
  readonly clock: Clock;
  /** How long shells stand ready behind the last one that was used. */
  readonly idleMs?: number;
  /** How many may stand ready, in all places together. */
  readonly maxReady?: number;
}

/** Between two prompts of a user there are minutes. */
const IDLE_MS = 5 * 60_000;
const MAX_READY = 24;
/** What follows those that were used does not take the processor from them, nor from what comes right after them. */
const REFILL_MS = 10;
/** Bash reads it byte by byte, so as to leave the rest of its input to the script. */
const MAX_SCRIPT_LENGTH = 4096;
/** A shell that has this much to say before it has anything to do is no good. */
const MAX_EARLY_BYTES = 1 << 16;

/**
 * Takes the script from the beginning of the standard input and does what `bash -c` would do with it, now: in the folder
 * that has the name now, and with nothing left of the waiting.
 */
const WAITING = [
  // Functions may come with the environment, under any name.
  'IFS= builtin read -rd "" __heddle_script || builtin exit',
  // The folder was given by a name that may lead through links, and the shell knows it by another one.
  '[[ . -ef $1 && . -ef $PWD ]] || builtin cd -P -- "$1" || builtin exit',
  "builtin set --",
  "SECONDS=0",
  'builtin eval "builtin unset -v __heddle_script; $__heddle_script"',
].join("; ");

/** Closing it ends the shells that stand ready, and not the host, which others use. */
export function openReadyShells(options: ReadyShellsOptions): ProcessHost {
  const { host, clock, idleMs = IDLE_MS, maxReady = MAX_READY } = options;
  /** By shell, folder and environment; the one that was used last stands last. */
  const places = new Map<string, Place>();
  let isClosed = false;
  let isRefilling = false;

  function placeOf(spec: ProcessSpec): Place {
    const key = JSON.stringify([spec.argv[0], spec.cwd, spec.env]);
    const place = places.get(key) ?? { spec, ready: [], running: 0, wanted: 0, cancelEnd() {} };
    places.delete(key);
    places.set(key, place);
    place.cancelEnd();
    place.cancelEnd = clock.after(idleMs, () => clear(key, place));
    const [oldest] = places;
    if (places.size > maxReady && oldest !== undefined) clear(...oldest);
    return place;
  }

  function clear(key: string, place: Place): void {
    places.delete(key);
    place.wanted = 0;
    place.cancelEnd();
    for (const { process } of place.ready.splice(0)) process.release();
  }

  /** One after the other, so that whoever else wants to start something waits for one of them at most. */
  async function refill(): Promise<void> {
    for (let place = lacking(); place !== undefined && evictIdleShell(place); place = lacking()) {
      const shell = await startWaiting(host, place.spec);
      if ("kind" in shell) place.wanted = 0;
      else if (isClosed || place.wanted === 0) shell.process.release();
      else place.ready.push(shell);
    }
    isRefilling = false;
  }

  const lacking = (): Place | undefined =>
    [...places.values()].findLast(({ ready, running, wanted }) => ready.length + running < wanted);

  /** The places that were used least lately give way; false where that is not enough. */
  function evictIdleShell(place: Place): boolean {
    let ready = [...places.values()].reduce((sum, each) => sum + each.ready.length, 0);
    for (const [key, other] of places) {
      if (ready < maxReady || other === place) break;
      ready -= other.ready.length;
      clear(key, other);
    }
    return ready < maxReady;
  }

  return {
    async start(spec, onOutput) {
      const script = scriptOf(spec);
      if (script === null || isClosed) return host.start(spec, onOutput);
      const place = placeOf(spec);
      place.running += 1;
      place.wanted = Math.max(place.wanted, place.running);
      const shell = takeReady(place) ?? (await startWaiting(host, spec));
      if ("kind" in shell) {
        place.running -= 1;
        return shell;
      }
      const { process, output } = shell;
      output.lead(onOutput);
      process.write(Buffer.from(`${script}\0`));
      void process.exited.then(() => {
        place.running -= 1;
        if (isRefilling) return;
        isRefilling = true;
        clock.after(REFILL_MS, () => void refill());
      });
      return { kind: "started", process };
    },
    async close() {
      isClosed = true;
      for (const [key, place] of places) clear(key, place);
    },
  };
}

type Failed = Extract<StartOutcome, { kind: "failed" }>;

interface Place {
  readonly spec: ProcessSpec;
  readonly ready: WaitingShell[];
  running: number;
  /** How many have run at the same time. */
  wanted: number;
  cancelEnd: () => void;
}

interface WaitingShell {
  readonly process: RunningProcess;
  readonly output: Redirection;
  hasExited: boolean;
}

async function startWaiting(host: ProcessHost, spec: ProcessSpec): Promise<WaitingShell | Failed> {
  const [shell = ""] = spec.argv;
  const output = createRedirection();
  const outcome = await host.start({ ...spec, argv: [shell, "-c", WAITING, shell, spec.cwd] }, output.take);
  if (outcome.kind === "failed") return outcome;
  const waiting = { process: outcome.process, output, hasExited: false };
  void outcome.process.exited.then(() => {
    waiting.hasExited = true;
  });
  return waiting;
}

function takeReady({ ready }: Place): WaitingShell | null {
  for (let shell = ready.pop(); shell !== undefined; shell = ready.pop()) {
    if (!shell.hasExited && !shell.output.isFull()) return shell;
    shell.process.release();
  }
  return null;
}

/** Null for whatever is not a script that a waiting shell would run in the same way. */
function scriptOf({ argv, env, input, terminal }: ProcessSpec): string | null {
  const [shell = "", flag, script] = argv;
  const isBash = basename(shell) === "bash" && flag === "-c" && argv.length === 3;
  if (!isBash || script === undefined || script.length > MAX_SCRIPT_LENGTH || script.includes("\0"))
    return null;
  // A start-up file may be another one by the time that the script runs.
  return input === "pipe" && terminal === undefined && env["BASH_ENV"] === undefined ? script : null;
}

interface Redirection {
  readonly take: OutputListener;
  /** Where it goes from now on, after what has come already. */
  lead(onOutput: OutputListener): void;
  isFull(): boolean;
}

/** Output of which nobody knows yet who wants it. */
function createRedirection(): Redirection {
  const early: Parameters<OutputListener>[] = [];
  let kept = 0;
  let listener: OutputListener | null = null;
  return {
    take(chunk, stream) {
      if (listener !== null) listener(chunk, stream);
      else if (kept <= MAX_EARLY_BYTES) {
        kept += chunk.length;
        early.push([Buffer.from(chunk), stream]);
      }
    },
    lead(onOutput) {
      listener = onOutput;
      for (const [chunk, stream] of early.splice(0)) onOutput(chunk, stream);
    },
    isFull: () => kept > MAX_EARLY_BYTES,
  };
}
