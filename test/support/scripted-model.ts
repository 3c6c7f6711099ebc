/**
 * A Responses API server on loopback that answers from a script and records its requests. Each POST to
 * `…/responses` takes the next reply; after the last one that one repeats. Without any reply the response is
 * 500.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseJson } from "./json.ts";
import type { ModelEvent } from "./model-events.ts";

/** A placeholder in the arguments of a call for the last shell session id that the model received. */
export const SESSION = "<session>";

export type ModelReply =
  | {
      readonly events: readonly ModelEvent[];
      /** Nothing is sent until `release()` is called. */
      readonly held?: boolean;
      /** The stream does not end after the last event, as while a model is still thinking. */
      readonly open?: boolean;
    }
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    };

export type ModelRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
};

export type ScriptedModel = {
  /** Base address without a path: `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Appends replies to the script. */
  extend(replies: readonly ModelReply[]): void;
  /** Resolves when that many requests for a response have arrived. */
  arrived(count: number): Promise<void>;
  /** Releases every held reply, now and in the future. */
  release(): void;
  /** Releases the held reply to a request whose body contains this text, as soon as there is one. */
  releaseFor(text: string): Promise<void>;
  close(): Promise<void>;
};

export async function openScriptedModel(replies: readonly ModelReply[] = []): Promise<ScriptedModel> {
  const encoded = replies.map(encode);
  const requests: ModelRequest[] = [];
  const held = new Set<HeldReply>();
  const wanted = new Map<string, () => void>();
  const waiting: { count: number; resolve: () => void }[] = [];
  let released = false;
  let served = 0;

  function serve(response: ServerResponse, body: string): void {
    const reply = encoded[Math.min(served, encoded.length - 1)];
    served += 1;
    for (const each of waiting.filter(({ count }) => count <= served)) each.resolve();
    if (reply === undefined) {
      response.writeHead(500).end("the script has no reply");
      return;
    }
    const send = (): void => {
      response.writeHead(reply.status, reply.headers);
      const text = nameSession(reply.text, body);
      if (reply.open) response.write(text);
      else response.end(text);
    };
    if (!reply.held || released) return send();
    held.add({ body, send });
    for (const text of wanted.keys()) letGo(text);
  }

  function letGo(text: string): void {
    for (const reply of held) {
      if (!reply.body.includes(text)) continue;
      held.delete(reply);
      reply.send();
      wanted.get(text)?.();
      wanted.delete(text);
      return;
    }
  }

  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const path = request.url ?? "";
      requests.push(toModelRequest(request, body));
      if (request.method === "POST" && path.endsWith("/responses")) serve(response, body);
      else response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    extend: (more) => void encoded.push(...more.map(encode)),
    arrived: (count) =>
      served >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    release() {
      released = true;
      for (const { send } of held) send();
      held.clear();
    },
    releaseFor: (text) =>
      new Promise((resolve) => {
        wanted.set(text, resolve);
        letGo(text);
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

interface HeldReply {
  readonly body: string;
  readonly send: () => void;
}

function encode(reply: ModelReply) {
  if ("status" in reply) {
    const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {});
    return { status: reply.status, headers: { ...reply.headers }, text, held: false, open: false };
  }
  // Encoded once, so that a reply of ten thousand deltas costs the model nothing when it is requested.
  const text = reply.events
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
  const headers = { "content-type": "text/event-stream" };
  return { status: 200, headers, text, held: reply.held ?? false, open: reply.open ?? false };
}

/**
 * A script cannot know the id of a shell session beforehand: `SESSION` stands for the last one in a request.
 */
function nameSession(text: string, body: string): string {
  if (!text.includes(SESSION)) return text;
  const last = [...body.matchAll(/running with session ID (\d+)/gu)].at(-1)?.[1] ?? "0";
  return text.replaceAll(`\\"${SESSION}\\"`, last);
}

/** The body is parsed on access, so that a model in a benchmark does no more than answer. */
function toModelRequest({ method = "", url = "", headers }: IncomingMessage, text: string): ModelRequest {
  let body: unknown;
  return {
    method,
    path: url,
    headers,
    get body() {
      body ??= parseJson(text) ?? text;
      return body;
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
