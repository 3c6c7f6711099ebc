import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { silentLogger } from "../base/logger.ts";
import { createPeer, type Responder } from "./peer.ts";
import { RequestAbandoned, RpcError } from "./rpc-error.ts";

function startPeer() {
  const sent: { id?: number; method?: string; result?: unknown; error?: unknown }[] = [];
  const asked: { method: string; reply: Responder }[] = [];
  const peer = createPeer({
    send: (text) => sent.push(JSON.parse(text)),
    onRequest: ({ method }, reply) => asked.push({ method, reply }),
    onNotification: () => {},
    log: silentLogger,
  });
  return { peer, sent, asked };
}

describe("a peer", () => {
  test("matches responses to requests in any order", async () => {
    const { peer, sent } = startPeer();
    const first = peer.request("a", {});
    const second = peer.request("b", {});
    peer.receive('{"id":1,"result":"B"}');
    peer.receive('{"id":0,"error":{"code":-32600,"message":"no","data":{"why":1}}}');
    expect(await second).toBe("B");
    await expect(first).rejects.toEqual(new RpcError(-32600, "no", { why: 1 }));
    expect(sent.map(({ method }) => method)).toEqual(["a", "b"]);
  });

  test("can send an error if the result cannot be serialized", () => {
    const { peer, sent, asked } = startPeer();
    peer.receive('{"id":7,"method":"a"}');
    expect(() => asked[0]?.reply.result({ big: 1n })).toThrow("BigInt");
    asked[0]?.reply.error({ code: 0, message: "no" });
    expect(sent).toEqual([{ id: 7, error: { code: 0, message: "no" } }]);
  });

  test("responds to a request once, whatever its handler does", () => {
    const { peer, sent, asked } = startPeer();
    peer.receive('{"id":7,"method":"a"}');
    asked[0]?.reply.result(1);
    asked[0]?.reply.result(2);
    asked[0]?.reply.error({ code: 0, message: "late" });
    expect(sent).toEqual([{ id: 7, result: 1 }]);
  });

  test("sends nothing after close", async () => {
    const { peer, sent, asked } = startPeer();
    peer.receive('{"id":7,"method":"a"}');
    peer.close("the connection is gone");
    asked[0]?.reply.result(1);
    await expect(peer.request("a", {})).rejects.toThrow("the connection is gone");
    expect(sent).toEqual([]);
  });
});

type Step =
  | { do: "ask" }
  | { do: "answer" | "fail" | "cancel"; at: number }
  | { do: "stray"; id: number }
  | { do: "close" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>({ do: "ask" }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("answer" as const, "fail" as const, "cancel" as const),
      at: fc.nat(12),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stray" as const), id: fc.integer() }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "close" }) },
);

test("every request settles exactly once under any interleaving of requests, responses, aborts and closes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { peer } = startPeer();
      const settled: string[][] = [];
      const expected: (string | null)[] = [];
      const aborts: AbortController[] = [];
      let closed = false;

      const settle = (at: number, outcome: string) => {
        if (at < expected.length && expected[at] === null) expected[at] = outcome;
      };
      for (const action of steps) {
        switch (action.do) {
          case "ask": {
            const log: string[] = [];
            const abort = new AbortController();
            aborts.push(abort);
            settled.push(log);
            expected.push(closed ? "abandoned" : null);
            peer.request("a", {}, abort.signal).then(
              (value) => log.push(String(value)),
              (error: unknown) => log.push(error instanceof RequestAbandoned ? "abandoned" : "failed"),
            );
            break;
          }
          case "answer":
            peer.receive(`{"id":${action.at},"result":"answered"}`);
            if (!closed) settle(action.at, "answered");
            break;
          case "fail":
            peer.receive(`{"id":${action.at},"error":{"code":1,"message":"x"}}`);
            if (!closed) settle(action.at, "failed");
            break;
          case "cancel":
            aborts[action.at]?.abort();
            settle(action.at, "abandoned");
            break;
          case "stray":
            peer.receive(`{"id":${action.id + 1_000_000},"result":1}`);
            break;
          case "close":
            peer.close("closed");
            closed = true;
            expected.forEach((_, at) => settle(at, "abandoned"));
        }
      }
      peer.close("end");
      expected.forEach((_, at) => settle(at, "abandoned"));
      await new Promise(setImmediate);
      expect(settled).toEqual(expected.map((outcome) => [outcome]));
    }),
    { numRuns: 500 },
  );
});
