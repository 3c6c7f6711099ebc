/**
 * Responses with large files are sent in pieces: a file is in memory once, as bytes, and clients do not block
 * each other.
 */
import { JsonPieces } from "../../jsonrpc/message.ts";
import { RequestAbandoned, RpcError } from "../../jsonrpc/rpc-error.ts";
import { type ClientConnection, OVERLOADED } from "../connections/client-connection.ts";

/** Files from this size on are sent in pieces. */
export const LARGE_FILE_BYTES = 1024 * 1024;
/** Bytes of large files that may be read concurrently, for all clients together. */
const MAX_READING_BYTES = 512 * 1024 * 1024;
/** A multiple of three, so that the concatenated base64 pieces have no padding in between. */
const PIECE_BYTES = 48 * 1024;

export interface LargeFiles {
  /** Reads one file at a time for each client, after it has received the previous one. */
  read(connection: ClientConnection, size: number, read: () => Promise<Buffer>): Promise<JsonPieces>;
}

export function createLargeFiles(): LargeFiles {
  const lastOf = new WeakMap<ClientConnection, Promise<unknown>>();
  let readingBytes = 0;

  async function readNow(size: number, read: () => Promise<Buffer>): Promise<JsonPieces> {
    if (readingBytes + size > MAX_READING_BYTES) throw new RpcError(OVERLOADED.code, OVERLOADED.message);
    readingBytes += size;
    try {
      return toAnswer(await read());
    } finally {
      readingBytes -= size;
    }
  }

  return {
    read(connection, size, read) {
      const before = lastOf.get(connection) ?? Promise.resolve();
      const turn = before.then(async () => {
        // The previous response is written after the tick, and counts as backlog only then.
        await new Promise(setImmediate);
        await connection.backlog.whenCaughtUp();
        if (connection.handshake.phase === "closed") throw new RequestAbandoned("the connection was closed");
        return readNow(size, read);
      });
      lastOf.set(
        connection,
        turn.catch(() => {}),
      );
      return turn;
    },
  };
}

function toAnswer(bytes: Buffer): JsonPieces {
  const [head, tail] = ['{"dataBase64":"', '"}'];
  function* pieces() {
    yield head;
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      yield bytes.toString("base64", at, Math.min(at + PIECE_BYTES, bytes.length));
    }
    yield tail;
  }
  const length = head.length + Math.ceil(bytes.length / 3) * 4 + tail.length;
  return new JsonPieces(length, { [Symbol.iterator]: pieces });
}
