/**
 * The helper's side: starts children for the server at the other end of a socket. When that end goes away, for
 * whatever reason, every group that was started is ended, so that a killed server leaves nobody behind.
 */
import type { Duplex } from "node:stream";
import { createDeferred } from "../base/tasks.ts";
import { createFrameReader, createFrameSink, FRAME, type Frame, type FrameSink } from "./frame.ts";
import type { ProcessHost, ProcessSpec, RunningProcess, TerminalSize } from "./process-host.ts";

/** Output that one child may have on the way before it is held back. */
const WINDOW_BYTES = 1 << 20;

export function serveProcesses(socket: Duplex, host: ProcessHost): Promise<void> {
  const served = new Map<number, Served>();
  const sink = createFrameSink(socket);
  const handle = ({ kind, id, body }: Frame): void => {
    if (kind === FRAME.start) {
      const one = createServed(sink, id);
      served.set(id, one);
      void one.start(host, JSON.parse(body.toString()) as ProcessSpec).finally(() => served.delete(id));
    } else served.get(id)?.handle(kind, body);
  };
  socket.on("data", createFrameReader(handle));
  socket.on("error", () => {});
  return new Promise((resolve) => {
    socket.once("close", () => void host.close().then(resolve));
  });
}

interface Served {
  start(host: ProcessHost, spec: ProcessSpec): Promise<void>;
  handle(kind: number, body: Buffer): void;
}

function createServed(sink: FrameSink, id: number): Served {
  const flow = createFlow();
  const released = createDeferred<void>();
  let process: RunningProcess | null = null;

  function send(chunk: Buffer, kind: number): void {
    sink.send(kind, id, chunk);
    if (flow.sent(chunk.length)) process?.pause();
  }

  return {
    async start(host, spec) {
      const outcome = await host.start(spec, (chunk, stream) => send(chunk, FRAME[stream]));
      if (outcome.kind === "failed") {
        const { message, code, errno } = outcome.error as NodeJS.ErrnoException;
        sink.send(FRAME.failed, id, JSON.stringify({ message, code, errno }));
        return;
      }
      process = outcome.process;
      if (flow.isHeld()) process.pause();
      sink.sendNumber(FRAME.started, id, process.pid);
      sink.send(FRAME.exited, id, JSON.stringify(await process.exited));
      await process.closed;
      sink.send(FRAME.closed, id);
      await released.promise;
    },
    handle(kind, body) {
      if (process === null) return;
      if (kind === FRAME.release || kind === FRAME.detach) released.resolve();
      if (kind === FRAME.taken && flow.taken(body.readUInt32LE(0))) process.resume();
      else act(process, kind, body);
    },
  };
}

function act(process: RunningProcess, kind: number, body: Buffer): void {
  if (kind === FRAME.input) process.write(body);
  else if (kind === FRAME.endInput) process.endInput();
  else if (kind === FRAME.resize) process.resize(JSON.parse(body.toString()) as TerminalSize);
  else if (kind === FRAME.signal) process.signal(body.toString() as NodeJS.Signals);
  else if (kind === FRAME.terminate) process.terminate();
  else if (kind === FRAME.release) process.release();
  else if (kind === FRAME.detach) process.detach();
}

/** Counts what is on the way; both answers say whether the child's output must stop or may go on now. */
function createFlow() {
  let onTheWay = 0;
  let isHeld = false;
  return {
    isHeld: () => isHeld,
    sent(bytes: number): boolean {
      onTheWay += bytes;
      if (isHeld || onTheWay < WINDOW_BYTES) return false;
      isHeld = true;
      return true;
    },
    taken(bytes: number): boolean {
      onTheWay -= bytes;
      if (!isHeld || onTheWay > WINDOW_BYTES / 2) return false;
      isHeld = false;
      return true;
    },
  };
}
