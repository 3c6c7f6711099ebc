/** An HTTP response: the headers are available immediately, the body is read on demand. */
import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../../base/clock.ts";
import type { HttpHeaders } from "../provider-input.ts";
import type { HttpConnection } from "./http-connection.ts";
import type { ResponseHead } from "./response-head.ts";

/** A response whose headers have arrived. Either `chunks` or `text` may be read, once. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly url: string;
  /** The body as a stream. Throws if the connection breaks. */
  chunks(): AsyncIterable<string>;
  /** The beginning of the body, as far as it arrives within a timeout. Never rejects. */
  text(maxLength?: number): Promise<string>;
  /** Drains the rest of the body, so that the connection can be reused. */
  release(): void;
  /** Closes the connection immediately. */
  close(): void;
}

/** The side of a response that receives its body. */
export interface ReceivedBody {
  push(bytes: Buffer): void;
  /** Null at the end of the response, or the error that ended the connection before it. */
  end(error: Error | null): void;
}

interface ResponseParts {
  readonly head: ResponseHead;
  readonly connection: Pick<HttpConnection, "pause" | "resume" | "destroy">;
  readonly clock: Clock;
  readonly url: string;
}

const MAX_TEXT_LENGTH = 64 * 1024;
const TEXT_TIMEOUT_MS = 10_000;
/** How long the rest of a finished response is drained before the connection is closed instead of reused. */
const RELEASE_TIMEOUT_MS = 1_000;
/** Reading pauses when this many characters are buffered. */
const MAX_BUFFERED_LENGTH = 1024 * 1024;

export function createHttpResponse({
  head,
  connection,
  clock,
  url,
}: ResponseParts): HttpResponse & ReceivedBody {
  const decoder = new StringDecoder("utf8");
  let buffered = "";
  let isPaused = false;
  let isDiscarded = false;
  let hasEnded = false;
  let failure: Error | null = null;
  let wake = () => {};
  let cancelTimeout = () => {};

  const close = () => connection.destroy(new Error("the response was abandoned"));

  function closeAfter(delayMs: number): void {
    if (!hasEnded) cancelTimeout = clock.after(delayMs, close);
  }

  function resume(): void {
    if (!isPaused) return;
    isPaused = false;
    connection.resume();
  }

  /**
   * The body as it arrives; data received while the consumer is busy forms one chunk. A consumer that stops iterating may
   * still drain or close the connection.
   */
  async function* chunks(): AsyncGenerator<string, void, undefined> {
    for (;;) {
      if (buffered !== "") {
        const chunk = buffered;
        buffered = "";
        resume();
        yield chunk;
      } else if (hasEnded) break;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    if (failure !== null) throw failure;
  }

  return {
    status: head.status,
    headers: head.headers,
    url,
    chunks,
    text(maxLength = MAX_TEXT_LENGTH) {
      closeAfter(TEXT_TIMEOUT_MS);
      return readText(chunks(), maxLength, close);
    },
    release() {
      isDiscarded = true;
      buffered = "";
      resume();
      closeAfter(RELEASE_TIMEOUT_MS);
    },
    close,
    push(bytes) {
      if (isDiscarded) return;
      buffered += decoder.write(bytes);
      if (buffered.length > MAX_BUFFERED_LENGTH && !isPaused) {
        isPaused = true;
        connection.pause();
      }
      wake();
    },
    end(error) {
      hasEnded = true;
      failure = error;
      if (!isDiscarded) buffered += decoder.end();
      cancelTimeout();
      wake();
    },
  };
}

/** Returns the text received so far where the connection breaks. */
async function readText(
  chunks: AsyncIterable<string>,
  maxLength: number,
  close: () => void,
): Promise<string> {
  let text = "";
  try {
    for await (const chunk of chunks) {
      text += chunk;
      if (text.length <= maxLength) continue;
      close();
      break;
    }
  } catch {
    // The connection has broken.
  }
  return text.slice(0, maxLength);
}
