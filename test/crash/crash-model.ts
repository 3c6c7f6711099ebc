/** A model with random responses of every kind, which records the last input of each thread. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject, parseJson } from "../support/json.ts";
import {
  functionCallDone,
  type ModelEvent,
  messageDone,
  messageReply,
  reply,
  responseCreated,
  streamedReply,
} from "../support/model-events.ts";
import type { Random } from "../support/random.ts";
import type { ModelReply } from "../support/scripted-model.ts";

export type CrashModel = {
  readonly url: string;
  /** The input of the next request for a thread. */
  nextInput(threadId: string): Promise<readonly unknown[]>;
  close(): Promise<void>;
};

export type CrashModelOptions = {
  readonly random: Random;
  readonly onInput: (threadId: string, input: readonly unknown[]) => void;
};

const MAX_PAUSE_MS = 6;

export async function openCrashModel({ random, onInput }: CrashModelOptions): Promise<CrashModel> {
  const waiting = new Map<string, ((input: readonly unknown[]) => void)[]>();
  let replies = 0;

  function note(body: unknown): void {
    const request = isObject(body) ? body : {};
    const threadId = String(request["prompt_cache_key"]);
    const input = Array.isArray(request["input"]) ? (request["input"] as unknown[]) : [];
    onInput(threadId, input);
    for (const resolve of waiting.get(threadId) ?? []) resolve(input);
    waiting.delete(threadId);
  }

  async function answer(response: ServerResponse): Promise<void> {
    replies += 1;
    const kind = random.next();
    const id = String(replies);
    if (kind < 0.04) response.writeHead(500).end("no");
    else if (kind < 0.34) await send(response, messageReply(`Reply ${id}`, { id }), false);
    else if (kind < 0.64) await send(response, streamedReply(["One ", "two ", "three ", id], id), true);
    else if (kind < 0.84) await send(response, commandReply(id), random.chance(0.5));
    else if (kind < 0.92) await send(response, talkativeReply(id), true);
    else {
      response.writeHead(200, STREAM);
      response.write(encode(responseCreated(`resp_${id}`)) + encode(messageDone(`msg_${id}`, `Begun ${id}`)));
    }
  }

  async function send(response: ServerResponse, given: ModelReply, slowly: boolean): Promise<void> {
    response.writeHead(200, STREAM);
    for (const event of "events" in given ? given.events : []) {
      response.write(encode(event));
      if (slowly) await pause(random.below(MAX_PAUSE_MS));
    }
    response.end();
  }

  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    readBody(request).then(
      async (body) => {
        if (request.method !== "POST" || request.url?.endsWith("/responses") !== true) {
          response.writeHead(404).end();
          return;
        }
        note(parseJson(body));
        await answer(response);
      },
      // The server was killed during its request.
      () => undefined,
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    nextInput: (threadId) =>
      new Promise((resolve) => {
        waiting.set(threadId, [...(waiting.get(threadId) ?? []), resolve]);
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

const STREAM = { "content-type": "text/event-stream" };

function commandReply(id: string): ModelReply {
  return reply(id, functionCallDone(`call_${id}`, "exec_command", { cmd: `echo ${id}` }));
}

function talkativeReply(id: string): ModelReply {
  const messages = ["a", "b", "c"].map((part) => messageDone(`msg_${id}${part}`, `Part ${id}${part}`));
  return reply(id, ...messages, functionCallDone(`call_${id}`, "exec_command", { cmd: "true" }));
}

function encode(event: ModelEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
