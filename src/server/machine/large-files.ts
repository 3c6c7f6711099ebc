/** Files that are answered in pieces: a large one is in memory once, as bytes, and no client holds up another. */
import { JsonPieces } from "../../jsonrpc/message.ts";
import { RequestAbandoned, RpcError } from "../../jsonrpc/rpc-error.ts";
import { type ClientConnection, OVERLOADED } from "../connections/client-connection.ts";

/** From this size on a file is answered in pieces. */
export const LARGE_FILE_BYTES = 1024 * 1024;
/** Bytes of large files that are being read at a time, for all clients together. */
const MAX_READING_BYTES = 512 * 1024 * 1024;
/** A multiple of three, so that the pieces of base64 make one text. */
const PIECE_BYTES = 48 * 1024;

export interface LargeFiles {
  /** Reads when what was read for this client before has left, one file after the other. */
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
        // The answer before this one is on its way only after the tick.
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
