/**
 * A host that spawns children from a helper process. `spawn` blocks Node's event loop for milliseconds, and longer
 * the more memory the process uses; the helper is small and stays so. It is started on first use, shared, and
 * restarted after it has died.
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
  type ProcessStartOutcome,
  TERMINATION_GRACE_MS,
} from "./process-host.ts";
import { createRemoteProcess, type RemoteProcess } from "./remote-process.ts";

/** The file name of the bundled `helper-main.ts`. */
const HELPER_FILE = "process-helper.cjs";

export interface PreparedHost extends ProcessHost {
  /** Starts the helper process, if there is one, so that the first child does not wait for it. */
  prepare(): void;
}

/** A host in a helper process if its bundle exists, otherwise one in this process. */
export function openProcessHost(helperFile: string | null): PreparedHost {
  const helper = helperFile === null ? null : openHelperHost({ file: helperFile });
  const host = helper ?? createLocalHost();
  return {
    prepare: () => helper?.prepare(),
    async start(spec, onOutput) {
      const unresponsive = await checkMountResponsive(spec.cwd);
      return unresponsive === null ? host.start(spec, onOutput) : failed(unresponsive);
    },
    close: () => host.close(),
  };
}

/** The helper's bundle, in the folder of the given file or one of its two parents. */
export function findProcessHelper(file: string): string | null {
  const own = dirname(file);
  const candidates = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, HELPER_FILE));
  return candidates.find((candidate) => existsSync(candidate)) ?? null;
}

interface HelperHostOptions {
  /** The bundle of `helper-main.ts`. */
  readonly file: string;
  readonly graceMs?: number;
}

export function openHelperHost(
  options: HelperHostOptions,
): PreparedHost & { readonly pid: () => number | null } {
  let helper: Helper | null = null;
  let local: ProcessHost | null = null;
  let isClosed = false;

  function prepare(): void {
    if (isClosed || local !== null) return;
    if (helper === null || helper.isGone()) helper = startHelper(options);
  }

  async function start(spec: ProcessSpec, onOutput: OutputListener): Promise<ProcessStartOutcome> {
    if (isClosed) return failed("the host of processes is closed");
    if (local !== null) return local.start(spec, onOutput);
    prepare();
    if (helper === null) return failed("too many open files");
    const current = helper;
    const outcome = await current.start(spec, onOutput);
    if (outcome.kind === "started" || current.hasResponded() || isClosed) return outcome;
    // The helper cannot run here, for example if Node is embedded in another program: fall back to this process.
    local ??= createLocalHost(options);
    return local.start(spec, onOutput);
  }

  return {
    pid: () => helper?.pid ?? null,
    prepare,
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
  /** Whether it has ever sent a frame. */
  hasResponded(): boolean;
  start(spec: ProcessSpec, onOutput: OutputListener): Promise<ProcessStartOutcome>;
  close(): Promise<void>;
}

/** Null if this process has run out of file descriptors. */
function startHelper({ file, graceMs = TERMINATION_GRACE_MS }: HelperHostOptions): Helper | null {
  const child = spawn(process.execPath, [file, String(graceMs)], {
    // A process group of its own, so that Ctrl-C in our terminal does not end it before its children.
    detached: true,
    stdio: ["ignore", "ignore", "inherit", "pipe"],
    // No NODE_OPTIONS or other variables that change how Node starts or slow it down.
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
  /** The helper keeps the event loop alive only while it has children. */
  const updateRefs = (): void => {
    const isBusy = remotes.size > 0;
    if (isBusy) child.ref();
    else child.unref();
    if (isBusy) socket.ref();
    else socket.unref();
  };
  const exited = createDeferred<void>();
  let isGone = false;
  let hasResponded = false;
  let lastId = 0;

  function abandonAll(): void {
    if (isGone) return;
    isGone = true;
    socket.destroy();
    for (const remote of remotes.values()) remote.abandon();
    remotes.clear();
    exited.resolve();
  }
  updateRefs();
  child.once("error", abandonAll);
  child.once("exit", abandonAll);
  socket.on("error", abandonAll);
  socket.on(
    "data",
    createFrameReader(({ id, ...rest }) => {
      hasResponded = true;
      remotes.get(id)?.take(rest);
    }),
  );

  return {
    pid: child.pid ?? null,
    isGone: () => isGone,
    hasResponded: () => hasResponded,
    start(spec, onOutput) {
      lastId += 1;
      const id = lastId;
      const remote = createRemoteProcess(id, sink, onOutput);
      remotes.set(id, remote);
      updateRefs();
      void remote.finished.then(() => {
        remotes.delete(id);
        updateRefs();
      });
      sink.send(FRAME.start, id, JSON.stringify(spec));
      return remote.outcome;
    },
    close() {
      child.ref();
      socket.end();
      return exited.promise;
    },
  };
}

function failed(message: string): ProcessStartOutcome {
  return { kind: "failed", error: new Error(message) };
}
