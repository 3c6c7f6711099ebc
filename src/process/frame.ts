import type { Writable } from "node:stream";

/**
 * The frames that the server and its helper process exchange: one byte of kind, the process's number and the
 * length of the body as 32-bit integers, the body. Output travels as it came, so that moving it costs one copy.
 */
export const FRAME = {
  /** To the helper: body is a spec as JSON. */
  start: 1,
  input: 2,
  endInput: 3,
  resize: 4,
  signal: 5,
  terminate: 6,
  release: 7,
  /** To the helper: so many bytes of output have been taken. */
  taken: 8,
  detach: 9,
  /** From the helper: body is the process id. */
  started: 16,
  /** From the helper: body is an error as JSON. */
  failed: 17,
  stdout: 18,
  stderr: 19,
  /** From the helper: body is an exit as JSON. */
  exited: 20,
  closed: 21,
} as const;

const HEADER_BYTES = 9;
const EMPTY = Buffer.alloc(0);

export interface Frame {
  readonly kind: number;
  readonly id: number;
  readonly body: Buffer;
}

export function frame(kind: number, id: number, body: Uint8Array | string = EMPTY): Buffer {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return Buffer.concat([frameHeader(kind, id, bytes.length), bytes]);
}

function frameHeader(kind: number, id: number, length: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header[0] = kind;
  header.writeUInt32LE(id, 1);
  header.writeUInt32LE(length, 5);
  return header;
}

export interface FrameSink {
  send(kind: number, id: number, body?: Uint8Array | string): void;
  sendNumber(kind: number, id: number, value: number): void;
}

/** A body of this size is not copied behind its header. */
const LARGE_BYTES = 4096;

/** What is sent within one tick leaves together: a write costs as much as many frames. */
export function createFrameSink(stream: Writable): FrameSink {
  let isHeld = false;

  function hold(): void {
    if (isHeld) return;
    isHeld = true;
    stream.cork();
    process.nextTick(() => {
      isHeld = false;
      stream.uncork();
    });
  }

  function send(kind: number, id: number, body: Uint8Array | string = EMPTY): void {
    if (stream.destroyed) return;
    hold();
    if (typeof body === "string" || body.length < LARGE_BYTES) stream.write(frame(kind, id, body));
    else {
      stream.write(frameHeader(kind, id, body.length));
      stream.write(body);
    }
  }

  return {
    send,
    sendNumber(kind, id, value) {
      const body = Buffer.allocUnsafe(4);
      body.writeUInt32LE(value, 0);
      send(kind, id, body);
    },
  };
}

/** Cuts a stream of bytes into frames. A body is a view on what was pushed where it came in one piece. */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let held = 0;
  let wanted = HEADER_BYTES;

  return function push(chunk) {
    pieces.push(chunk);
    held += chunk.length;
    if (held < wanted) return;
    let bytes = pieces.length === 1 ? chunk : Buffer.concat(pieces, held);
    wanted = HEADER_BYTES;
    while (bytes.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + bytes.readUInt32LE(5);
      if (bytes.length < end) {
        wanted = end;
        break;
      }
      onFrame({ kind: bytes[0] ?? 0, id: bytes.readUInt32LE(1), body: bytes.subarray(HEADER_BYTES, end) });
      bytes = bytes.subarray(end);
    }
    pieces = bytes.length === 0 ? [] : [bytes];
    held = bytes.length;
  };
}
