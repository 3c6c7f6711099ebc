/** A scripted server: the test controls its answers and breaks its transports. */
import { createMemoryTransports } from "../transport/memory.ts";
import type { Transport } from "../transport/transport.ts";

export interface ReceivedRequest {
  readonly id?: number;
  readonly method: string;
  readonly params?: unknown;
}

/** The messages that the server sends for a request; null closes the transport. */
export type AnswerRequest = (message: ReceivedRequest) => readonly (object | null)[];

export interface ScriptedServer {
  readonly open: () => Promise<Transport>;
  /** All requests over all transports, without `initialize`. */
  readonly asked: ReceivedRequest[];
  /** Sends a message over the open transport. */
  send(message: object): void;
  /** Closes the open transport. */
  cut(): void;
  /** Refuses new connections with this error; null accepts them again. */
  refuse(why: Error | null): void;
  readonly opened: () => number;
}

export function createScriptedServer(answer: AnswerRequest): ScriptedServer {
  const asked: ReceivedRequest[] = [];
  let theirs: Transport | null = null;
  let refusal: Error | null = null;
  let opened = 0;

  return {
    asked,
    opened: () => opened,
    async open() {
      opened += 1;
      if (refusal !== null) throw refusal;
      const [server, client] = createMemoryTransports();
      theirs = server;
      server.start({
        message(text) {
          const message = JSON.parse(text) as ReceivedRequest;
          if (message.id === undefined) return;
          const isIntroduction = message.method === "initialize";
          if (!isIntroduction) asked.push(message);
          const said = isIntroduction ? [{ id: message.id, result: {} }] : answer(message);
          for (const each of said) {
            if (each === null) server.close();
            else server.send(JSON.stringify(each), "response");
          }
        },
        closed() {},
      });
      return client;
    },
    send: (message) => theirs?.send(JSON.stringify(message), "notice"),
    cut: () => theirs?.close(),
    refuse(why) {
      refusal = why;
    },
  };
}
