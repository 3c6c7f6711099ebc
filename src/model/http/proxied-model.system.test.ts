import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Environment } from "../../base/environment.ts";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { AUTHORITY, CERTIFICATE, KEY } from "../../base/network/fixtures/certificates.ts";
import {
  type LoopbackProxy,
  openLoopbackProxy,
  type ProxyOptions,
} from "../../base/network/fixtures/loopback-proxy.ts";
import { collect } from "../fixtures/collect.ts";
import { type LoopbackProvider, openLoopbackProvider, sends } from "../fixtures/loopback-provider.ts";
import { answer, sse } from "../fixtures/response-events.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { responsesWire } from "../responses/responses-wire.ts";
import { createHttpModel } from "./http-model.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function openProxy(options?: ProxyOptions): Promise<LoopbackProxy> {
  const proxy = await openLoopbackProxy(options);
  cleanups.push(() => proxy.close());
  return proxy;
}

async function openProvider(): Promise<LoopbackProvider> {
  const provider = await openLoopbackProvider(sends(...answer("hi")));
  cleanups.push(() => provider.close());
  return provider;
}

/** Speaks TLS, with a certificate that only SSL_CERT_FILE vouches for. */
async function openSecureProvider(): Promise<number> {
  const server = createServer({ cert: CERTIFICATE, key: KEY }, (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(sse(...answer("hi")));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function modelOf(settings: ProviderSettings, env: Environment) {
  const deps = { clock: createFakeClock(), env, random: () => 0.5, log: silentLogger };
  const model = createHttpModel(settings, responsesWire, deps);
  cleanups.push(() => model.close());
  return model;
}

async function endOf(settings: ProviderSettings, env: Environment): Promise<string> {
  const last = (await collect(modelOf(settings, env))).at(-1);
  return last?.type === "failed" ? last.error.message : (last?.type ?? "nothing");
}

test("a plain provider is reached through HTTP_PROXY, over one connection", async () => {
  const [provider, proxy] = [await openProvider(), await openProxy({ login: "me:secret" })];
  const model = modelOf(provider.settings(), { HTTP_PROXY: `http://me:secret@127.0.0.1:${proxy.port}` });
  for (let round = 0; round < 3; round++) expect((await collect(model)).at(-1)?.type).toBe("completed");
  expect(proxy.seen).toEqual(Array(3).fill(`POST http://127.0.0.1:${provider.port}/v1/responses`));
  expect(provider.requests[0]?.headers).toMatchObject({ host: `127.0.0.1:${provider.port}` });
});

test("a provider with TLS is reached through a reused tunnel", async () => {
  const port = await openSecureProvider();
  const proxy = await openProxy({ tunnelsTo: port });
  const folder = await mkdtemp(join(tmpdir(), "heddle-proxy-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  const file = join(folder, "ca.pem");
  await writeFile(file, AUTHORITY);
  const provider = await openProvider();
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, SSL_CERT_FILE: file };
  const model = modelOf(provider.settings({ baseUrl: "https://provider.test/v1" }), env);
  for (let round = 0; round < 3; round++) {
    expect((await collect(model)).at(-1)?.type).toBe("completed");
    await new Promise(setImmediate);
  }
  expect(proxy.seen).toEqual(["CONNECT provider.test:443"]);
  const direct = provider.settings({ baseUrl: `https://localhost:${port}/v1` });
  expect(await endOf(direct, { ...env, NO_PROXY: "localhost" })).toBe("completed");
  expect(await endOf(direct, { ...env, HTTPS_PROXY: "" })).toBe("completed");
});

test("hosts in NO_PROXY bypass the proxy", async () => {
  const provider = await openProvider();
  const env = { HTTP_PROXY: "http://127.0.0.1:1", NO_PROXY: "localhost,127.0.0.0/8" };
  expect(await endOf(provider.settings(), env)).toBe("completed");
});

test("a proxy that rejects the login is named without the password, and not retried", async () => {
  const provider = await openProvider();
  const proxy = await openProxy({ login: "me:right" });
  const env = { ALL_PROXY: `http://me:wrong@127.0.0.1:${proxy.port}` };
  const retries = { requestMaxRetries: 3, streamMaxRetries: 3 };
  const shown = `http://127.0.0.1:${proxy.port}`;
  const advice = "; put a user and a password that it accepts into the variable that names it";
  expect(await endOf(provider.settings(retries), env)).toBe(
    `the proxy ${shown} refused the request: 407${advice}`,
  );
  expect(await endOf(provider.settings({ ...retries, baseUrl: "https://provider.test/v1" }), env)).toBe(
    `the proxy ${shown} refused the way to provider.test:443: 407 Proxy Authentication Required${advice}`,
  );
  expect(proxy.seen).toHaveLength(2);
});

test("an unreachable proxy, or one that cannot reach the provider, is named", async () => {
  const provider = await openProvider();
  const env = { ALL_PROXY: "http://me:secret@127.0.0.1:1" };
  const gone =
    "Connection failed: error sending request: no connection through the proxy http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1";
  expect(await endOf(provider.settings(), env)).toBe(gone);
  expect(await endOf(provider.settings({ baseUrl: "https://provider.test/v1" }), env)).toBe(gone);

  const proxy = await openProxy({ refuses: 502 });
  const shown = `http://127.0.0.1:${proxy.port}`;
  expect(await endOf(provider.settings({ baseUrl: "https://provider.test/v1" }), { ALL_PROXY: shown })).toBe(
    `Connection failed: error sending request: the proxy ${shown} refused the way to provider.test:443: 502 No`,
  );
});

test("unusable variables are reported", async () => {
  const provider = await openProvider();
  const settings = provider.settings({ baseUrl: "https://provider.test/v1" });
  expect(await endOf(settings, { SSL_CERT_FILE: "/nowhere/ca.pem" })).toMatch(
    /^SSL_CERT_FILE names \/nowhere\/ca.pem, which cannot be read: /,
  );
  expect(await endOf(settings, { ALL_PROXY: "socks5h://localhost:1080" })).toBe(
    "ALL_PROXY names a socks5h proxy, and only http and https proxies can be used",
  );
});

test("an abort does not wait for a silent proxy", async () => {
  const provider = await openProvider();
  const proxy = await openProxy({ isSilent: true });
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  const model = modelOf(provider.settings({ baseUrl: "https://provider.test/v1" }), env);
  const aborter = new AbortController();
  const events = collect(model, undefined, aborter.signal);
  while (proxy.seen.length === 0) await new Promise(setImmediate);
  aborter.abort();
  expect(await events).toEqual([]);
});
