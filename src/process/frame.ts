import type { Writable } from "node:stream";
import { createCork } from "./cork.ts";

/**
 * The frames between the server and its helper process: one byte for the kind, the process number and the body length as
 * 32-bit integers, then the body. Output is not re-encoded, so forwarding it costs one copy.
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
  /** To the helper: body is the number of output bytes that were consumed. */
  ack: 8,
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

/** The flow control window: unacknowledged output of one child beyond this pauses it. */
export const WINDOW_BYTES = 1 << 20;
/**
 * Output is acknowledged when it has this size, so that most commands need no acknowledgement at all. A paused child resumes
 * at half of the window, which must be more than what stays unacknowledged.
 */
export const ACK_BYTES = WINDOW_BYTES / 8;

const HEADER_BYTES = 9;
const EMPTY = Buffer.alloc(0);

export interface Frame {
  readonly kind: number;
  readonly id: number;
  readonly body: Buffer;
}

export function encodeFrame(kind: number, id: number, body: Uint8Array | string = EMPTY): Buffer {
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

/** A body of this size or more is written separately instead of being copied behind its header. */
const LARGE_BYTES = 4096;

/** Frames of one tick are joined into one write, because a write costs as much as many frames. */
export function createFrameSink(stream: Writable, cork = createCork(stream)): FrameSink {
  function send(kind: number, id: number, body: Uint8Array | string = EMPTY): void {
    if (stream.destroyed) return;
    cork();
    if (typeof body === "string" || body.length < LARGE_BYTES) stream.write(encodeFrame(kind, id, body));
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

/** Splits a byte stream into frames. A body that arrived in one chunk is a view of that chunk. */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let bufferedBytes = 0;
  let neededBytes = HEADER_BYTES;

  return function push(chunk) {
    chunks.push(chunk);
    bufferedBytes += chunk.length;
    if (bufferedBytes < neededBytes) return;
    let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks, bufferedBytes);
    neededBytes = HEADER_BYTES;
    while (bytes.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + bytes.readUInt32LE(5);
      if (bytes.length < end) {
        neededBytes = end;
        break;
      }
      onFrame({ kind: bytes[0] ?? 0, id: bytes.readUInt32LE(1), body: bytes.subarray(HEADER_BYTES, end) });
      bytes = bytes.subarray(end);
    }
    chunks = bytes.length === 0 ? [] : [bytes];
    bufferedBytes = bytes.length;
  };
}
