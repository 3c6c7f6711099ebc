import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { AUTHORITY, CERTIFICATE, KEY } from "./fixtures/certificates.ts";
import { type LoopbackProxy, openLoopbackProxy, type ProxyOptions } from "./fixtures/loopback-proxy.ts";
import { createNetworkFetch } from "./network-fetch.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(isSecure: boolean, listener: RequestListener): Promise<string> {
  const server: Server = isSecure
    ? createSecureServer({ cert: CERTIFICATE, key: KEY }, listener)
    : createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${isSecure ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function openProxy(options?: ProxyOptions): Promise<LoopbackProxy> {
  const proxy = await openLoopbackProxy(options);
  cleanups.push(() => proxy.close());
  return proxy;
}

async function authorityFile(text = AUTHORITY): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "heddle-network-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  const path = join(folder, "ca.pem");
  await writeFile(path, text);
  return path;
}

const echo: RequestListener = (request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (text: string) => {
    body += text;
  });
  request.on("end", () => {
    response.setHeader("set-cookie", ["a=1", "b=2"]);
    response.end(
      JSON.stringify({
        method: request.method,
        url: request.url,
        type: request.headers["content-type"],
        body,
      }),
    );
  });
};

test("sends plain requests to the proxy with the absolute URL", async () => {
  const proxy = await openProxy();
  const address = await serve(false, echo);
  const send = createNetworkFetch({ http_proxy: `http://127.0.0.1:${proxy.port}` });
  const form = new URLSearchParams({ grant_type: "refresh" });
  const response = await send(`${address}/token?x=1`, { method: "POST", body: form });
  expect(await response.json()).toEqual({
    method: "POST",
    url: "/token?x=1",
    type: "application/x-www-form-urlencoded;charset=UTF-8",
    body: "grant_type=refresh",
  });
  expect(response.url).toBe(`${address}/token?x=1`);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(proxy.seen).toEqual([`POST ${address}/token?x=1`]);
});

test("speaks TLS through a tunnel, with the certificates of SSL_CERT_FILE", async () => {
  const proxy = await openProxy({ login: "me:p w" });
  const address = await serve(true, echo);
  const env = {
    HTTPS_PROXY: `http://me:p%20w@127.0.0.1:${proxy.port}`,
    SSL_CERT_FILE: await authorityFile(),
  };
  const send = createNetworkFetch(env);
  for (let round = 0; round < 3; round++) {
    expect(await (await send(`${address}/mcp`)).json()).toMatchObject({ method: "GET", url: "/mcp" });
  }
  // One tunnel serves all requests.
  expect(proxy.seen).toEqual([`CONNECT ${new URL(address).host}`]);
});

test("reaches a proxy that itself speaks TLS", async () => {
  const proxy = await openProxy({ isSecure: true });
  const [plain, secure] = [await serve(false, echo), await serve(true, echo)];
  const send = createNetworkFetch({
    ALL_PROXY: `https://localhost:${proxy.port}`,
    SSL_CERT_FILE: await authorityFile(),
  });
  expect((await send(plain)).status).toBe(200);
  expect((await send(secure)).status).toBe(200);
  expect(proxy.seen.map((line) => line.split(" ")[0])).toEqual(["GET", "CONNECT"]);
});

test("trusts SSL_CERT_FILE without a proxy, too, and rejects unknown CAs without it", async () => {
  const address = await serve(true, echo);
  expect((await createNetworkFetch({ SSL_CERT_FILE: await authorityFile() })(address)).status).toBe(200);
  const proxy = await openProxy();
  const failed = createNetworkFetch({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` })(address);
  await expect(failed).rejects.toMatchObject({
    name: "TypeError",
    cause: { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" },
  });
});

test("trusts NODE_EXTRA_CA_CERTS in addition to SSL_CERT_FILE", async () => {
  const address = await serve(true, echo);
  const env = { SSL_CERT_FILE: await authorityFile(CERTIFICATE), NODE_EXTRA_CA_CERTS: await authorityFile() };
  expect((await createNetworkFetch(env)(address)).status).toBe(200);
});

test("returns streaming bodies, and closes them", async () => {
  const proxy = await openProxy();
  const closed: (() => void)[] = [];
  const hasEnded = new Promise<void>((resolve) => closed.push(resolve));
  const address = await serve(false, (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
    response.on("close", () => closed[0]?.());
  });
  const aborter = new AbortController();
  const send = createNetworkFetch({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` });
  const { body } = await send(address, { signal: aborter.signal });
  const reader = body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("data: 1\n\n");
  await reader?.cancel();
  await hasEnded;
});

test("redirects and empty responses are returned", async () => {
  const proxy = await openProxy();
  const address = await serve(false, (request, response) => {
    if (request.url === "/empty") response.writeHead(204).end();
    else response.writeHead(302, { location: "/empty" }).end();
  });
  const send = createNetworkFetch({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` });
  const moved = await send(`${address}/`, { redirect: "manual" });
  expect([moved.status, moved.headers.get("location")]).toEqual([302, "/empty"]);
  expect((await send(`${address}/empty`)).body).toBeNull();
});

test("an abort does not wait for a silent proxy", async () => {
  const proxy = await openProxy({ isSilent: true });
  const send = createNetworkFetch({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
  const aborter = new AbortController();
  const answer = send("https://provider.test/", { signal: aborter.signal });
  while (proxy.seen.length === 0) await new Promise(setImmediate);
  aborter.abort(new Error("enough"));
  await expect(answer).rejects.toThrow("enough");
});

test.each([
  [
    { login: "me:right" },
    "407 Proxy Authentication Required; put a user and a password that it accepts into the variable that names it",
  ],
  [{ refuses: 403 }, "403 No"],
])("a proxy that refuses is named without its password (%o)", async (options, reason) => {
  const proxy = await openProxy(options);
  const send = createNetworkFetch({ HTTPS_PROXY: `http://me:wrong@127.0.0.1:${proxy.port}` });
  await expect(send("https://provider.test/")).rejects.toMatchObject({
    cause: {
      message: `the proxy http://127.0.0.1:${proxy.port} refused the way to provider.test:443: ${reason}`,
    },
  });
});

test("an unusable certificate file is named in the error", async () => {
  const [missing, empty] = ["/nowhere/ca.pem", await authorityFile("nothing")];
  await expect(createNetworkFetch({ SSL_CERT_FILE: missing })("https://localhost/")).rejects.toMatchObject({
    cause: {
      message: expect.stringMatching(/^SSL_CERT_FILE names \/nowhere\/ca.pem, which cannot be read: /),
    },
  });
  await expect(createNetworkFetch({ SSL_CERT_FILE: empty })("https://localhost/")).rejects.toMatchObject({
    cause: { message: `SSL_CERT_FILE names ${empty}, which holds no certificate in PEM form` },
  });
});

test("bypasses the proxy for hosts in NO_PROXY", async () => {
  const address = await serve(false, echo);
  const send = createNetworkFetch({ HTTP_PROXY: "http://127.0.0.1:1", NO_PROXY: "127.0.0.1" });
  expect((await send(address)).status).toBe(200);
});
