import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { AUTHORITY, CERTIFICATE, KEY } from "../../base/network/fixtures/certificates.ts";
import { openLoopbackProxy } from "../../base/network/fixtures/loopback-proxy.ts";
import { createDeferred } from "../../base/tasks.ts";
import {
  ATTEMPT_TIMEOUT_MS,
  createPostWebhook,
  MAX_RESPONSE_BYTES,
  type PostOptions,
} from "./post-webhook.ts";

interface Received {
  readonly url: string;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

async function serve(answer: RequestListener, isSecure = false) {
  const received: Received[] = [];
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      received.push({ url: request.url ?? "", headers: request.headers, body });
      answer(request, response);
    });
  };
  const server: Server = isSecure
    ? createSecureServer({ cert: CERTIFICATE, key: KEY }, listener)
    : createServer(listener);
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { received, port, connections: () => connections };
}

const BODY = '{"text":"Grüße"}';

function post(
  url: string,
  { allowsPrivate = true, signal = new AbortController().signal, ...options }: Options = {},
) {
  const send = createPostWebhook({ env: {}, clock: systemClock, ...options });
  return send({ url: new URL(url), headers: { "webhook-id": "evt_1" }, body: BODY, allowsPrivate }, signal);
}

interface Options extends Partial<PostOptions> {
  readonly allowsPrivate?: boolean;
  readonly signal?: AbortSignal;
}

test("sends the body with its headers, and returns status and Retry-After", async () => {
  const { received, port } = await serve(
    (_, response) => void response.writeHead(503, { "retry-after": "7" }).end("no"),
  );
  const outcome = await post(`http://me:p%20w@127.0.0.1:${port}/in?x=1`);
  expect(outcome).toEqual({ kind: "answered", status: 503, retryAfter: "7" });
  expect(received).toEqual([
    {
      url: "/in?x=1",
      body: BODY,
      headers: expect.objectContaining({
        "webhook-id": "evt_1",
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(BODY)),
        authorization: `Basic ${Buffer.from("me:p w").toString("base64")}`,
      }),
    },
  ]);
});

test("does not follow a redirect", async () => {
  const target = await serve((_, response) => void response.end());
  const { port } = await serve((_, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${target.port}/` }).end();
  });
  expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: "answered", status: 307 });
  expect(target.connections()).toBe(0);
});

test("does not read a long body to its end", async () => {
  const closed = createDeferred<number>();
  const { port } = await serve((_, response) => {
    let sent = 0;
    const more = (): void => {
      sent += MAX_RESPONSE_BYTES;
      if (response.write(Buffer.alloc(MAX_RESPONSE_BYTES))) setImmediate(more);
      else response.once("drain", more);
    };
    response.on("close", () => closed.resolve(sent));
    more();
  });
  expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: "answered", status: 200 });
  expect(await closed.promise).toBeGreaterThan(0);
});

test("gives up after the time-out, and at once when it is aborted", async () => {
  const asked = createDeferred<void>();
  const { port } = await serve(() => asked.resolve());
  const clock = createFakeClock();
  const outcome = post(`http://127.0.0.1:${port}/`, { clock });
  await asked.promise;
  clock.advance(ATTEMPT_TIMEOUT_MS);
  expect(await outcome).toEqual({ kind: "failed", message: "no response within 20 s" });
  const aborter = new AbortController();
  const aborted = post(`http://127.0.0.1:${port}/`, { signal: aborter.signal });
  aborter.abort();
  expect(await aborted).toEqual({ kind: "aborted" });
});

test("connects to no private address: not by address, nor by a name, nor by one that changes its address", async () => {
  const { port, connections } = await serve((_, response) => void response.end());
  let asked = 0;
  // The first answer is public, as for a check in advance; every later one is not.
  const rebinding: LookupFunction = (_hostname, { all }, callback) => {
    const address = asked++ === 0 ? "203.0.114.1" : "127.0.0.1";
    if (all === true) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  };
  rebinding("hook.test", {}, () => {});
  for (const host of ["127.0.0.1", "[::ffff:127.0.0.1]", "localhost", "hook.test"]) {
    const outcome = await post(`http://${host}:${port}/`, { allowsPrivate: false, lookup: rebinding });
    expect(outcome).toMatchObject({ kind: "failed" });
    expect(JSON.stringify(outcome)).toMatch(/not a public address: it needs|is not a public address/);
  }
  expect(connections()).toBe(0);
  expect(await post(`http://hook.test:${port}/`, { lookup: rebinding })).toMatchObject({ status: 200 });
  expect(connections()).toBe(1);
});

test("uses the proxies and the certificates of the environment", async () => {
  const proxy = await openLoopbackProxy();
  onTestFinished(() => proxy.close());
  const folder = await mkdtemp(join(tmpdir(), "heddle-webhook-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "ca.pem");
  await writeFile(file, AUTHORITY);
  const { port, received } = await serve((_, response) => void response.writeHead(204).end(), true);
  const url = `https://localhost:${port}/in`;
  expect(await post(url, { env: { SSL_CERT_FILE: file } })).toMatchObject({ status: 204 });
  const env = { SSL_CERT_FILE: file, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  expect(await post(url, { env })).toMatchObject({ status: 204 });
  expect(proxy.seen).toEqual([`CONNECT localhost:${port}`]);
  expect(received).toHaveLength(2);
  expect(await post(url)).toMatchObject({ kind: "failed" });
  // A proxy is no way around the check of what the URL itself names.
  expect(await post(url, { env, allowsPrivate: false })).toMatchObject({ kind: "failed" });
});

test("names no more of the URL than its host in a failure", async () => {
  const outcome = await post("http://me:secret@127.0.0.1:1/token?key=hidden");
  expect(outcome).toMatchObject({ kind: "failed" });
  expect(JSON.stringify(outcome)).not.toMatch(/secret|token|hidden/);
});
