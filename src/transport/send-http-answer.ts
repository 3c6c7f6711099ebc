import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { HttpAnswer } from "./http-routes.ts";

/** A reader shows its progress by each piece that it takes. */
const PIECE_BYTES = 64 * 1024;

export interface SendingOptions {
  readonly isHead: boolean;
  /** How long a reader may take nothing before it is disconnected. */
  readonly stallMs: number;
}

/**
 * Resolves when the answer was passed to the system, or when its reader has gone. An iterable is at most one part ahead of
 * its reader.
 */
export async function sendHttpAnswer(
  response: ServerResponse,
  { status, headers, body }: HttpAnswer,
  { isHead, stallMs }: SendingOptions,
): Promise<void> {
  const send = createSender(response, stallMs);
  if (body === null || typeof body === "string" || Buffer.isBuffer(body)) {
    const length = body === null ? {} : { "content-length": Buffer.byteLength(body) };
    response.writeHead(status, { ...headers, ...length });
    if (body !== null && !isHead) await send.part(body);
    return send.end();
  }
  response.writeHead(status, headers);
  if (isHead) return send.end();
  // Leaving the loop ends the iterable.
  for await (const part of body) if (!(await send.part(part))) return;
  return send.end();
}

function createSender(response: ServerResponse, stallMs: number) {
  /** False if the reader has gone, or was disconnected because it took nothing. */
  async function isReached(event: "drain" | "finish"): Promise<boolean> {
    if (response.destroyed) return false;
    const gone = new AbortController();
    const timer = setTimeout(() => response.destroy(), stallMs);
    const { signal } = gone;
    const reached = once(response, event, { signal }).then(
      () => true,
      () => false,
    );
    const closed = once(response, "close", { signal }).then(
      () => false,
      () => false,
    );
    try {
      return await Promise.race([reached, closed]);
    } finally {
      clearTimeout(timer);
      gone.abort();
    }
  }

  return {
    async part(part: string | Buffer): Promise<boolean> {
      const bytes = typeof part === "string" ? Buffer.from(part) : part;
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        const isTaken = response.write(bytes.subarray(at, at + PIECE_BYTES));
        if (!isTaken && !(await isReached("drain"))) return false;
      }
      return !response.destroyed;
    },
    async end(): Promise<void> {
      response.end();
      if (!response.writableFinished) await isReached("finish");
    },
  };
}
