/** An HTTP response: the headers are available immediately, the body is read on demand. */
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Clock } from "../../base/clock.ts";
import type { HttpHeaders } from "../provider-input.ts";

/** A response whose headers have arrived. Either `chunks` or `text` may be read, once. */
export interface HttpResponse {
  readonly status: number;
  /** The status with its reason phrase, such as `404 Not Found`. */
  readonly statusLine: string;
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

interface ResponseParts {
  readonly message: IncomingMessage;
  readonly call: ClientRequest;
  readonly clock: Clock;
  readonly url: string;
  readonly statusNames: StatusNames;
}

export type StatusNames = Readonly<Record<number, string | undefined>>;

const MAX_TEXT_LENGTH = 64 * 1024;
const TEXT_TIMEOUT_MS = 10_000;
/** How long the rest of a finished response is drained before the connection is closed instead of reused. */
const RELEASE_TIMEOUT_MS = 1_000;
/** Reading pauses when this many characters are buffered. */
const MAX_BUFFERED_LENGTH = 1024 * 1024;

export function createHttpResponse({ message, call, clock, url, statusNames }: ResponseParts): HttpResponse {
  const status = message.statusCode ?? 0;
  message.setEncoding("utf8");
  // Without a listener, an error on an unread response would end the process.
  message.on("error", () => {});

  function closeAfter(delayMs: number): void {
    const cancel = clock.after(delayMs, () => call.destroy());
    message.once("close", cancel);
  }

  return {
    status,
    statusLine: `${status} ${nameOf(status, statusNames)}`,
    headers: message.headers,
    url,
    chunks: () => readChunks(message),
    async text(maxLength = MAX_TEXT_LENGTH) {
      closeAfter(TEXT_TIMEOUT_MS);
      let text = "";
      try {
        for await (const chunk of readChunks(message)) {
          text += chunk;
          if (text.length > maxLength) {
            call.destroy();
            break;
          }
        }
      } catch {
        // The text received so far is returned.
      }
      return text.slice(0, maxLength);
    },
    release() {
      if (message.readableEnded) return;
      closeAfter(RELEASE_TIMEOUT_MS);
      message.resume();
    },
    close: () => void call.destroy(),
  };
}

function nameOf(status: number, names: StatusNames): string {
  // Node's phrase differs from the one that clients of the protocol know.
  if (status === 418) return "I'm a teapot";
  return names[status] ?? "<unknown status code>";
}

/**
 * The body as it arrives; data received while the consumer is busy forms one chunk. Throws if the connection breaks. A
 * consumer that stops iterating may still drain or close the connection. The built-in async iterator of streams does the
 * same at four times the cost.
 */
async function* readChunks(message: IncomingMessage): AsyncGenerator<string, void, undefined> {
  // Data that has already arrived would be lost if the connection closed now.
  let buffered = (message.read() as string | null) ?? "";
  let hasEnded = message.readableEnded || message.destroyed;
  let failure: Error | null = message.errored;
  let wake: () => void = () => {};

  const onData = (chunk: string) => {
    buffered += chunk;
    if (buffered.length > MAX_BUFFERED_LENGTH) message.pause();
    wake();
  };
  const finish = () => {
    hasEnded = true;
    wake();
  };
  const fail = (error: Error) => {
    failure = error;
    finish();
  };
  message.on("data", onData).once("end", finish).once("close", finish).once("error", fail);
  try {
    for (;;) {
      if (buffered !== "") {
        const chunk = buffered;
        buffered = "";
        if (message.isPaused()) message.resume();
        yield chunk;
      } else if (hasEnded) break;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    message.off("data", onData);
  }
  if (failure !== null) throw failure;
  if (!message.complete) throw new Error("the connection closed before the end of the answer");
}
