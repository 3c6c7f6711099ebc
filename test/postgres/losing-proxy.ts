/** A proxy before a server that loses answers: what was asked has been done, and nobody is informed. */
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface LosingProxy {
  readonly url: string;
  /** How many answers were lost. */
  lost(): number;
  /** From now on requests are passed on, or not, and nothing is answered. */
  stall(passesOn: boolean): void;
  /** Cuts the connections that were stalled, and works again. */
  recover(): void;
  /** Cuts all connections and takes no others. */
  stop(): void;
}

/** Cuts a connection instead of passing on every `nth` message of the server; 0 for none. */
export async function losingProxy(url: string, nth: number): Promise<LosingProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const counts = { messages: 0, lost: 0 };
  let stalled: { readonly passesOn: boolean } | null = null;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let greetings = 0;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (chunk) => {
      if (stalled?.passesOn !== false) upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (stalled !== null) return;
      // The first answers are those to the connection itself.
      greetings += 1;
      counts.messages += 1;
      if (nth === 0 || greetings < 5 || counts.messages % nth !== 0) {
        client.write(chunk);
        return;
      }
      counts.lost += 1;
      client.destroy();
    });
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const stop = (): void => {
    server.close();
    cut();
  };
  onTestFinished(stop);
  const address = server.address();
  const proxied = new URL(url);
  proxied.port = String(typeof address === "object" && address !== null ? address.port : "");
  return {
    url: proxied.href,
    lost: () => counts.lost,
    stall(passesOn) {
      stalled = { passesOn };
    },
    stop,
    recover() {
      stalled = null;
      cut();
    },
  };
}
