/** A model server on loopback whose responses the test writes, valid or not. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelEvent } from "./model-events.ts";

export type ModelAnswer = (response: ServerResponse) => void;

export type FaultyModel = {
  readonly url: string;
  /** The bodies of the requests so far, as text. */
  readonly requests: readonly string[];
  /** Sets the responses to further requests, one for each; the last one repeats. */
  answerWith(...answers: readonly ModelAnswer[]): void;
  close(): Promise<void>;
};

export async function openFaultyModel(): Promise<FaultyModel> {
  const requests: string[] = [];
  let queue: readonly ModelAnswer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests.push(Buffer.concat(chunks).toString("utf8"));
      const [answer, ...later] = queue;
      if (later.length > 0) queue = later;
      answer?.(response);
    });
    // A client that aborts in the middle of a response is part of the tests.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answerWith(...answers) {
      queue = answers;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

export function encodeEvents(events: readonly ModelEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

const STREAM = { "content-type": "text/event-stream" };

/** A stream with this content that ends normally. */
export function streamOf(body: string | Uint8Array): ModelAnswer {
  return (response) => response.writeHead(200, STREAM).end(body);
}

/** A stream with this content that then stalls. */
export function silentAfter(body: string): ModelAnswer {
  return (response) => {
    response.writeHead(200, STREAM).flushHeaders();
    if (body !== "") response.write(body);
  };
}

/** A stream with this content whose connection then breaks. */
export function brokenAfter(body: string): ModelAnswer {
  return (response) => {
    response.writeHead(200, STREAM).flushHeaders();
    response.write(body, () => response.socket?.resetAndDestroy());
  };
}

export function status(
  code: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): ModelAnswer {
  return (response) => response.writeHead(code, { ...headers }).end(body);
}
