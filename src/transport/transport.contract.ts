import { describe, expect, onTestFinished, test } from "vitest";
import { createDeferred } from "../base/tasks.ts";
import type { CloseReason, Transport, TransportLimits } from "./transport.ts";

/** A connected pair of ends, as a transport's own test makes it. */
export interface TransportPair {
  /** The end under test. */
  readonly server: Transport;
  /** The other end, as raw as the medium allows. */
  readonly client: {
    send(text: string): void;
    /** Every write, or message where the medium keeps no writes apart, as it arrived. */
    readonly received: string[];
    /** Ends the connection without a word. */
    drop(): void;
    readonly closed: Promise<void>;
  };
  dispose(): Promise<void>;
}

export type OpenPair = (limits: TransportLimits) => Promise<TransportPair>;

const LIMITS: TransportLimits = { messageBytes: 10_000, outboundBytes: 1_000_000, stallMs: 1000 };

/** What every transport promises, whatever it is made of. */
export function transportContract(name: string, open: OpenPair): void {
  async function start() {
    const pair = await open(LIMITS);
    onTestFinished(() => pair.dispose());
    const messages: string[] = [];
    const closed = createDeferred<CloseReason>();
    let onMessage = () => {};
    pair.server.start({
      message(text) {
        messages.push(text);
        onMessage();
      },
      closed: closed.resolve,
    });
    const received = (count: number) =>
      new Promise<string[]>((resolve) => {
        onMessage = () => messages.length >= count && resolve(messages);
        onMessage();
      });
    return { ...pair, received, closed: closed.promise };
  }

  describe(`${name} transport`, () => {
    test("carries messages whole and in order, in both directions", async () => {
      const { server, client, received } = await start();
      const texts = Array.from({ length: 500 }, (_, index) =>
        JSON.stringify({ index, text: "ä€😀".repeat(index % 50) }),
      );
      for (const text of texts) client.send(text);
      expect(await received(texts.length)).toEqual(texts);
      for (const text of texts) server.send(text, "notice");
      await expect.poll(() => client.received.join("\n").trim().split("\n")).toEqual(texts);
    });

    test("sends a notice behind an answer in a write of its own", async () => {
      const { server, client } = await start();
      server.send('{"id":1}', "response");
      server.send('{"id":2}', "response");
      server.send('{"method":"a"}', "notice");
      await expect.poll(() => client.received.length).toBeGreaterThan(1);
      const together = client.received.filter(
        (write) => write.includes('"id"') && write.includes('"method"'),
      );
      expect(together).toEqual([]);
      expect(client.received.join("\n").trim().split(/\n+/)).toEqual([
        '{"id":1}',
        '{"id":2}',
        '{"method":"a"}',
      ]);
    });

    test("carries an answer far larger than what may wait to a client that reads", async () => {
      const { server, client } = await start();
      const text = JSON.stringify({ id: 1, text: "ä€😀x".repeat(2_000_000) });
      server.send(text, "response");
      server.send('{"id":2}', "response");
      await expect.poll(() => client.received.join("").includes('{"id":2}'), { timeout: 20_000 }).toBe(true);
      expect(client.received.join("").replaceAll("\n", "") === `${text}{"id":2}`).toBe(true);
    });

    test("hears that the other end has gone", async () => {
      const { client, closed } = await start();
      client.drop();
      expect(["ended", "failed"]).toContain((await closed).kind);
    });

    test("sends what waits before it closes, and nothing afterwards", async () => {
      const { server, client, closed } = await start();
      server.send('{"last":1}', "response");
      server.close();
      server.send('{"late":1}', "response");
      expect(await closed).toEqual({ kind: "ended" });
      await client.closed;
      expect(client.received.join("").trim()).toBe('{"last":1}');
    });
  });
}
