import { describe, expect, onTestFinished, test } from "vitest";
import { createDeferred } from "../base/tasks.ts";
import type { CloseReason, Transport, TransportLimits } from "./transport.ts";

/** A connected pair, created by the test of each transport. */
export interface TransportPair {
  /** The end under test. */
  readonly server: Transport;
  /** The other end, as low-level as the medium allows. */
  readonly client: {
    send(text: string): void;
    /** Every received write, or message if the medium does not preserve writes. */
    readonly received: string[];
    /** Ends the connection without a close message. */
    drop(): void;
    readonly closed: Promise<void>;
  };
  dispose(): Promise<void>;
}

export type OpenPair = (limits: TransportLimits) => Promise<TransportPair>;

const LIMITS: TransportLimits = { messageBytes: 10_000, outboundBytes: 1_000_000, stallMs: 1000 };

/** The contract of every transport. */
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

    test("sends a notice after a response in a separate write", async () => {
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

    test("delivers a response far over the queue limit to a client that reads", async () => {
      const { server, client } = await start();
      const text = JSON.stringify({ id: 1, text: "ä€😀x".repeat(2_000_000) });
      server.send(text, "response");
      server.send('{"id":2}', "response");
      await expect.poll(() => client.received.join("").includes('{"id":2}'), { timeout: 20_000 }).toBe(true);
      expect(client.received.join("").replaceAll("\n", "") === `${text}{"id":2}`).toBe(true);
    });

    test("detects that the other end has closed", async () => {
      const { client, closed } = await start();
      client.drop();
      expect(["ended", "failed"]).toContain((await closed).kind);
    });

    test("flushes queued messages before it closes, and sends nothing afterwards", async () => {
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
