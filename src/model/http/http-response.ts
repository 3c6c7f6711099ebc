/** What came back over HTTP: the head at once, the body as it is asked for. */
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Clock } from "../../base/clock.ts";
import type { HttpHeaders } from "../provider-input.ts";

/** A response whose head has arrived. Exactly one of `chunks` and `text` may be read, once. */
export interface HttpResponse {
  readonly status: number;
  /** The status with its usual name, `404 Not Found`. */
  readonly statusLine: string;
  readonly headers: HttpHeaders;
  readonly url: string;
  /** The body as it arrives. Throws if the connection breaks. */
  chunks(): AsyncIterable<string>;
  /** The beginning of the body, as far as it arrives in time. Never rejects. */
  text(maxLength?: number): Promise<string>;
  /** Lets the rest of the body pass, so that the connection can serve the next request. */
  release(): void;
  /** Closes the connection at once. */
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
/** What a provider may still send behind the end of its answer before the connection is not worth waiting for. */
const RELEASE_TIMEOUT_MS = 1_000;
/** More than this is not taken from the connection while nobody reads it, in characters. */
const MAX_WAITING = 1024 * 1024;

export function createHttpResponse({ message, call, clock, url, statusNames }: ResponseParts): HttpResponse {
  const status = message.statusCode ?? 0;
  message.setEncoding("utf8");
  // Without a listener an error of an answer that nobody reads any more would end the process.
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
        // What has arrived is all there is to show.
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
  // Where Node spells a name in another way than the clients of the protocol know it.
  if (status === 418) return "I'm a teapot";
  return names[status] ?? "<unknown status code>";
}

/**
 * The body of an answer as it arrives; whatever came while a piece was worked on is one piece. Throws if the
 * connection breaks. Whoever stops reading may still let the rest pass or close the connection. The iterator that
 * streams come with does the same at four times the cost.
 */
async function* readChunks(message: IncomingMessage): AsyncGenerator<string, void, undefined> {
  // What has come already would be lost if the connection were closed now.
  let waiting = (message.read() as string | null) ?? "";
  let isOver = message.readableEnded || message.destroyed;
  let failure: Error | null = message.errored;
  let wake: () => void = () => {};

  const take = (chunk: string) => {
    waiting += chunk;
    if (waiting.length > MAX_WAITING) message.pause();
    wake();
  };
  const finish = () => {
    isOver = true;
    wake();
  };
  const fail = (error: Error) => {
    failure = error;
    finish();
  };
  message.on("data", take).once("end", finish).once("close", finish).once("error", fail);
  try {
    for (;;) {
      if (waiting !== "") {
        const chunk = waiting;
        waiting = "";
        if (message.isPaused()) message.resume();
        yield chunk;
      } else if (isOver) break;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    message.off("data", take);
  }
  if (failure !== null) throw failure;
  if (!message.complete) throw new Error("the connection closed before the end of the answer");
}
