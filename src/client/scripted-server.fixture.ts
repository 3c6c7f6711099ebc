/** A server in a test's own hands: over transports that the test breaks, with answers that the test gives. */
import { createMemoryTransports } from "../transport/memory.ts";
import type { Transport } from "../transport/transport.ts";

export interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params?: unknown;
}

/** What the server sends when it is asked; null ends the transport. */
export type Answer = (message: Asked) => readonly (object | null)[];

export interface ScriptedServer {
  readonly open: () => Promise<Transport>;
  /** Everything that was asked, over all transports, without introductions. */
  readonly asked: Asked[];
  /** Sends something over the transport that is open. */
  tell(message: object): void;
  /** Breaks the transport that is open. */
  cut(): void;
  /** From now on nobody answers at the door, or again; an error says why. */
  validate(why: Error | null): void;
  readonly opened: () => number;
}

export function createScriptedServer(answer: Answer): ScriptedServer {
  const asked: Asked[] = [];
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
          const message = JSON.parse(text) as Asked;
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
    tell: (message) => theirs?.send(JSON.stringify(message), "notice"),
    cut: () => theirs?.close(),
    validate(why) {
      refusal = why;
    },
  };
}
