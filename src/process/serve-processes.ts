/**
 * The helper's side: starts children for the server at the other end of a socket. When the socket closes, for whatever
 * reason, every started process group is ended, so that a killed server leaves no orphans.
 */
import type { Duplex } from "node:stream";
import { createDeferred } from "../base/tasks.ts";
import { createCork } from "./cork.ts";
import {
  createFrameReader,
  createFrameSink,
  FRAME,
  type Frame,
  type FrameSink,
  WINDOW_BYTES,
} from "./frame.ts";
import type { ProcessHost, ProcessSpec, RunningProcess, TerminalSize } from "./process-host.ts";

export function serveProcesses(socket: Duplex, host: ProcessHost): Promise<void> {
  const served = new Map<number, ServedProcess>();
  // The exit of a child, the end of its output and the exits of others often come in one iteration of the event loop: in one
  // write, they wake the server only once.
  const sink = createFrameSink(socket, createCork(socket, setImmediate));
  const handle = ({ kind, id, body }: Frame): void => {
    if (kind === FRAME.start) {
      const child = createServedProcess(sink, id);
      served.set(id, child);
      void child.start(host, JSON.parse(body.toString()) as ProcessSpec).finally(() => served.delete(id));
    } else served.get(id)?.handle(kind, body);
  };
  socket.on("data", createFrameReader(handle));
  socket.on("error", () => {});
  return new Promise((resolve) => {
    socket.once("close", () => void host.close().then(resolve));
  });
}

interface ServedProcess {
  start(host: ProcessHost, spec: ProcessSpec): Promise<void>;
  handle(kind: number, body: Buffer): void;
}

function createServedProcess(sink: FrameSink, id: number): ServedProcess {
  const flow = createFlowControl();
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
      if (flow.isPaused()) process.pause();
      sink.sendNumber(FRAME.started, id, process.pid);
      sink.send(FRAME.exited, id, JSON.stringify(await process.exited));
      await process.closed;
      sink.send(FRAME.closed, id);
      await released.promise;
    },
    handle(kind, body) {
      if (process === null) return;
      if (kind === FRAME.release || kind === FRAME.detach) released.resolve();
      if (kind === FRAME.ack && flow.ack(body.readUInt32LE(0))) process.resume();
      else applyFrame(process, kind, body);
    },
  };
}

function applyFrame(process: RunningProcess, kind: number, body: Buffer): void {
  if (kind === FRAME.input) process.write(body);
  else if (kind === FRAME.endInput) process.endInput();
  else if (kind === FRAME.resize) process.resize(JSON.parse(body.toString()) as TerminalSize);
  else if (kind === FRAME.signal) process.signal(body.toString() as NodeJS.Signals);
  else if (kind === FRAME.terminate) process.terminate();
  else if (kind === FRAME.release) process.release();
  else if (kind === FRAME.detach) process.detach();
}

/** Counts unacknowledged bytes. `sent` returns whether to pause the child, `ack` whether to resume it. */
function createFlowControl() {
  let inFlight = 0;
  let isPaused = false;
  return {
    isPaused: () => isPaused,
    sent(bytes: number): boolean {
      inFlight += bytes;
      if (isPaused || inFlight < WINDOW_BYTES) return false;
      isPaused = true;
      return true;
    },
    ack(bytes: number): boolean {
      inFlight -= bytes;
      if (!isPaused || inFlight > WINDOW_BYTES / 2) return false;
      isPaused = false;
      return true;
    },
  };
}
