/** A proxy before a server that loses answers: what was asked has been done, and nobody hears of it. */
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Returns the URL of the proxy, which cuts a connection instead of passing on every `nth` message of the server. */
export async function losingProxy(
  url: string,
  nth: number,
): Promise<{ readonly url: string; lost(): number }> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let messages = 0;
  let lost = 0;
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
    client.on("data", (chunk) => upstream.write(chunk));
    upstream.on("data", (chunk) => {
      // The first answers are those to the connection itself.
      greetings += 1;
      messages += 1;
      if (greetings < 5 || messages % nth !== 0) {
        client.write(chunk);
        return;
      }
      lost += 1;
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  const proxied = new URL(url);
  proxied.port = String(typeof address === "object" && address !== null ? address.port : "");
  return { url: proxied.href, lost: () => lost };
}
