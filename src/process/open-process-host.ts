/**
 * A host that starts children from a helper process. `spawn` stops Node's event loop for milliseconds, and longer
 * the more memory the process has; the helper is small and stays so. It is started on first use, shared, and
 * started anew when it has died.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import { createDeferred } from "../base/tasks.ts";
import { checkMountResponsive } from "../base/thread-pool.ts";
import { createFrameReader, createFrameSink, FRAME } from "./frame.ts";
import { createLocalHost } from "./local-host.ts";
import {
  type OutputListener,
  type ProcessHost,
  type ProcessSpec,
  type StartOutcome,
  TERMINATION_GRACE_MS,
} from "./process-host.ts";
import { createRemoteProcess, type RemoteProcess } from "./remote-process.ts";

/** The name that the build gives to the bundle of `helper-main.ts`. */
const HELPER_FILE = "process-helper.cjs";

/** A host in a helper process where the package has its program, and otherwise one in this process. */
export function openProcessHost(helperFile: string | null): ProcessHost {
  const host = helperFile === null ? createLocalHost() : openHelperHost({ file: helperFile });
  return {
    async start(spec, onOutput) {
      const unresponsive = await checkMountResponsive(spec.cwd);
      return unresponsive === null ? host.start(spec, onOutput) : failed(unresponsive);
    },
    close: () => host.close(),
  };
}

/** The helper's program, beside the given file or in one of the two folders above. */
export function findProcessHelper(file: string): string | null {
  const own = dirname(file);
  const places = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, HELPER_FILE));
  return places.find((place) => existsSync(place)) ?? null;
}

interface HelperHostOptions {
  /** The bundle of `helper-main.ts`. */
  readonly file: string;
  readonly graceMs?: number;
}

export function openHelperHost(
  options: HelperHostOptions,
): ProcessHost & { readonly pid: () => number | null } {
  let helper: Helper | null = null;
  let local: ProcessHost | null = null;
  let isClosed = false;

  async function start(spec: ProcessSpec, onOutput: OutputListener): Promise<StartOutcome> {
    if (isClosed) return failed("the host of processes is closed");
    if (local !== null) return local.start(spec, onOutput);
    if (helper === null || helper.isGone()) helper = startHelper(options);
    if (helper === null) return failed("too many open files");
    const asked = helper;
    const outcome = await asked.start(spec, onOutput);
    if (outcome.kind === "started" || asked.hasAnswered() || isClosed) return outcome;
    // A helper that cannot live here, as where this Node is part of another program: do without it.
    local ??= createLocalHost(options);
    return local.start(spec, onOutput);
  }

  return {
    pid: () => helper?.pid ?? null,
    start,
    async close() {
      isClosed = true;
      await Promise.all([helper?.close(), local?.close()]);
    },
  };
}

interface Helper {
  readonly pid: number | null;
  isGone(): boolean;
  /** Whether it has ever said anything. */
  hasAnswered(): boolean;
  start(spec: ProcessSpec, onOutput: OutputListener): Promise<StartOutcome>;
  close(): Promise<void>;
}

/** Null while this process can open no more files. */
function startHelper({ file, graceMs = TERMINATION_GRACE_MS }: HelperHostOptions): Helper | null {
  const child = spawn(process.execPath, [file, String(graceMs)], {
    // Apart from our group and terminal, so that a Ctrl-C meant for us does not end it before its children.
    detached: true,
    stdio: ["ignore", "ignore", "inherit", "pipe"],
    // Nothing that could change how Node starts, and nothing that costs it time.
    env: { PATH: process.env["PATH"] },
  });
  const stdio: ChildProcess["stdio"] | undefined = child.stdio;
  if (stdio === undefined) {
    child.once("error", () => {});
    return null;
  }
  const socket = stdio[3] as Socket;
  const sink = createFrameSink(socket);
  const remotes = new Map<number, RemoteProcess>();
  /** Idle, the helper does not keep this process alive; with children it does. */
  const hold = (): void => {
    const isBusy = remotes.size > 0;
    if (isBusy) child.ref();
    else child.unref();
    if (isBusy) socket.ref();
    else socket.unref();
  };
  const gone = createDeferred<void>();
  let isGone = false;
  let hasAnswered = false;
  let lastId = 0;

  function abandonAll(): void {
    if (isGone) return;
    isGone = true;
    socket.destroy();
    for (const remote of remotes.values()) remote.abandon();
    remotes.clear();
    gone.resolve();
  }
  child.once("error", abandonAll);
  child.once("exit", abandonAll);
  socket.on("error", abandonAll);
  socket.on(
    "data",
    createFrameReader(({ id, ...rest }) => {
      hasAnswered = true;
      remotes.get(id)?.take(rest);
    }),
  );

  return {
    pid: child.pid ?? null,
    isGone: () => isGone,
    hasAnswered: () => hasAnswered,
    start(spec, onOutput) {
      lastId += 1;
      const id = lastId;
      const remote = createRemoteProcess(id, sink, onOutput);
      remotes.set(id, remote);
      hold();
      void remote.finished.then(() => {
        remotes.delete(id);
        hold();
      });
      sink.send(FRAME.start, id, JSON.stringify(spec));
      return remote.outcome;
    },
    close() {
      child.ref();
      socket.end();
      return gone.promise;
    },
  };
}

function failed(message: string): StartOutcome {
  return { kind: "failed", error: new Error(message) };
}
