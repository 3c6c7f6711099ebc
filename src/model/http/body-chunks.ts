import type { IncomingMessage } from "node:http";

/** More than this is not taken from the connection while nobody reads it, in characters. */
const MAX_WAITING = 1024 * 1024;

/**
 * The body of an answer as it arrives; whatever came while a piece was worked on is one piece. Throws if the
 * connection breaks. Whoever stops reading may still let the rest pass or close the connection. The iterator that
 * streams come with does the same at four times the cost.
 */
export async function* readChunks(message: IncomingMessage): AsyncGenerator<string, void, undefined> {
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
