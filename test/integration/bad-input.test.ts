import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { type RunningServer, type StartOptions, startServer } from "../support/start-server.ts";

const MEBIBYTE = 1024 * 1024;
const hello = { clientInfo: { name: "test", title: null, version: "1" } };

async function start(options?: StartOptions): Promise<RunningServer> {
  const server = await startServer(options);
  onTestFinished(() => server.stop().then(() => {}));
  return server;
}

function residentMebibytes(server: RunningServer): number {
  const [, kilobytes = "0"] =
    /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

describe("a server over stdio", () => {
  test("ignores what is no message and goes on", async () => {
    const server = await start();
    const client = await server.connect();
    const junk = [
      "",
      "nope",
      "[]",
      "{}",
      '"text"',
      "null",
      '{"id":null,"method":"initialize"}',
      '{"id":1,"result":3}',
    ];
    for (const line of junk) server.child.write(`${line}\n`);
    server.child.write(`{"id":9,"method":"a","params":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n`);
    expect(await client.request("initialize", hello)).toHaveProperty("result.userAgent");
    expect(client.received.map(({ kind }) => kind)).not.toContain("other");
  });

  test("drops a line over the bound, in bounded memory, and reads the next", async () => {
    const server = await start();
    const client = await server.connect();
    await client.request("initialize", hello);
    const before = residentMebibytes(server);
    const part = "x".repeat(MEBIBYTE);
    for (let sent = 0; sent < 300; sent++) server.child.write(part);
    server.child.write("\n");
    expect(await client.request("thread/loaded/list", {}, { milliseconds: 30_000 })).toHaveProperty(
      "result.data",
    );
    expect(residentMebibytes(server) - before).toBeLessThan(200);
  });

  test("takes a large message within the bound", async () => {
    const server = await start();
    const client = await server.connect();
    await client.request("initialize", hello);
    const unknown = "y".repeat(32 * MEBIBYTE);
    expect(await client.request("thread/loaded/list", { unknown }, { milliseconds: 30_000 })).toHaveProperty(
      "result.data",
    );
  });
});

describe("a server on a WebSocket", () => {
  test("disconnects a client that asks and never reads, while another is served as ever", {
    timeout: 60_000,
  }, async () => {
    const server = await start({ transport: "ws" });
    const reader = await server.connect();
    await reader.request("initialize", hello);

    const [host = "", port = "0"] = server.address?.split(":") ?? [];
    const deaf = connect(Number(port), host);
    onTestFinished(() => void deaf.destroy());
    const closed = new Promise<void>((resolve) => {
      deaf.once("close", () => resolve());
      deaf.once("error", () => resolve());
    });
    deaf.write(UPGRADE);
    await new Promise<void>((resolve) => deaf.once("data", () => resolve()));
    deaf.pause();
    deaf.write(frame(JSON.stringify({ id: "i", method: "initialize", params: hello })));

    // Each response to an unknown method lists all methods: four kilobytes for forty bytes.
    const questions = Buffer.concat(
      Array.from({ length: 1000 }, (_, id) => frame(JSON.stringify({ id, method: "no" }))),
    );
    while (!deaf.closed) {
      if (!deaf.write(questions))
        await Promise.race([new Promise((resolve) => deaf.once("drain", resolve)), closed]);
      expect(await reader.request("thread/loaded/list", {}, { milliseconds: 2000 })).toHaveProperty(
        "result.data",
      );
    }
    expect(residentMebibytes(server)).toBeLessThan(400);
  });
});

const UPGRADE = [
  "GET / HTTP/1.1",
  "Host: 127.0.0.1",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "\r\n",
].join("\r\n");

/** A masked text frame, built by hand: a WebSocket library would read its responses. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0xfe, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), payload]);
}

test("the bounds can be configured", async () => {
  const server = await start({ config: "[limits]\nmax_message_bytes = 500\n" });
  const client = await server.connect();
  await client.request("initialize", hello);
  await client.next({ method: "remoteControl/status/changed" });
  const dropped = client.send("thread/loaded/list", { unknown: "x".repeat(600) });
  expect(await client.request("thread/loaded/list", {})).toHaveProperty("result.data");
  expect(client.received.filter(({ message }) => message["id"] === dropped)).toEqual([]);
});
