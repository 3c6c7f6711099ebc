import { describe, expect, it } from "vitest";
import { createRpcClient } from "./rpc-client.ts";
import type { Wire } from "./wire.ts";

function createFakeWire() {
  const sent: unknown[] = [];
  let listener: (text: string) => void = () => undefined;
  const wire: Wire = {
    send: (text) => sent.push(JSON.parse(text)),
    sendFrame: () => undefined,
    sendLastFrame: () => undefined,
    onText: (added) => {
      listener = added;
    },
    onPong: () => undefined,
    close: () => undefined,
    ended: Promise.resolve(),
  };
  return {
    wire,
    sent,
    arrive: (message: unknown) => listener(JSON.stringify(message)),
    arriveText: (text: string) => listener(text),
  };
}

describe("createRpcClient", () => {
  it("pairs answers with requests by id, in any order", async () => {
    const { wire, sent, arrive } = createFakeWire();
    const client = createRpcClient(wire);
    const first = client.request("one", { a: 1 });
    const second = client.request("two");
    arrive({ id: 2, result: "second" });
    arrive({ id: 1, error: { code: 1, message: "first" } });
    expect(await first).toEqual({ id: 1, error: { code: 1, message: "first" } });
    expect(await second).toEqual({ id: 2, result: "second" });
    expect(sent).toEqual([
      { id: 1, method: "one", params: { a: 1 } },
      { id: 2, method: "two" },
    ]);
  });

  it("throws an error answer from result", async () => {
    const { wire, arrive } = createFakeWire();
    const answer = createRpcClient(wire).result("one");
    arrive({ id: 1, error: { code: -1, message: "no" } });
    await expect(answer).rejects.toThrow('one failed: {"code":-1,"message":"no"}');
  });

  it("gives each matching message once, whether it came before or after it was asked for", async () => {
    const { wire, arrive } = createFakeWire();
    const client = createRpcClient(wire);
    arrive({ method: "a", params: { n: 1 } });
    arrive({ method: "b" });
    expect(await client.next({ method: "a" })).toEqual({ method: "a", params: { n: 1 } });
    const next = client.next({ method: "a" });
    arrive({ method: "a", params: { n: 2 } });
    expect(await next).toEqual({ method: "a", params: { n: 2 } });
  });

  it("fails when the deadline passes, saying what was waited for", async () => {
    const client = createRpcClient(createFakeWire().wire);
    await expect(client.next({ method: "never" }, 1)).rejects.toThrow(
      'a message like {"method":"never"} did not arrive within 1 ms',
    );
  });

  it("keeps every message with its kind and the method it belongs to", () => {
    const { wire, arrive, arriveText } = createFakeWire();
    const client = createRpcClient(wire);
    client.send("one");
    arrive({ id: 1, result: {} });
    arrive({ method: "changed" });
    arrive({ id: 0, method: "ask" });
    arriveText("junk");
    expect(client.received.map(({ kind, method }) => [kind, method])).toEqual([
      ["response", "one"],
      ["notification", "changed"],
      ["request", "ask"],
      ["other", undefined],
    ]);
  });
});
