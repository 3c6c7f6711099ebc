/** The console over a real listener, from a folder as the build writes it. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { silentLogger } from "../../../base/logger.ts";
import { defaultTransportLimits } from "../../../transport/transport.ts";
import { openWebSocketListener } from "../../../transport/websocket-listener.ts";
import { createRouteTable } from "../route-table.ts";
import { consoleRoutes } from "./console-routes.ts";

const SCRIPT = "console.log(1);".repeat(100);

function buildPage(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-console-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Heddle</title>");
  writeFileSync(join(folder, "manifest.webmanifest"), "{}");
  writeFileSync(join(folder, "assets", "index-a1.js"), SCRIPT);
  writeFileSync(join(folder, "assets", "index-a1.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, "assets", "index-a1.js.gz"), gzipSync(SCRIPT));
  writeFileSync(join(folder, "..", "heddle-outside.js"), "outside");
  symlinkSync("/etc/hostname", join(folder, "assets", "link.js"));
  return folder;
}

async function listen(folder = buildPage()) {
  const listener = await openWebSocketListener({
    listen: (server) => server.listen(0, "127.0.0.1"),
    names: { hosts: [], origins: [] },
    tickets: null,
    judgeUpgrade: null,
    routes: createRouteTable(consoleRoutes(folder)),
    limits: defaultTransportLimits,
    log: silentLogger,
    onConnection: (transport) => transport.close(),
  });
  onTestFinished(() => listener.close());
  const { port } = listener.address as AddressInfo;
  return (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers, method });
}

const PAGE = { accept: "text/html,*/*" };

test("the page has a policy without inline code, and is revalidated", async () => {
  const ask = await listen();
  const answer = await ask("/");
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain("Heddle");
  expect(answer.headers.get("content-security-policy")).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types heddle-worker",
  );
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "cache-control": "no-cache",
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "permissions-policy": expect.stringContaining("camera=()"),
  });
  const etag = answer.headers.get("etag") ?? "";
  expect((await ask("/", { "if-none-match": etag })).status).toBe(304);
  expect((await ask("/", { "if-none-match": '"other"' })).status).toBe(200);
});

test.each([
  ["br, gzip", "br"],
  ["gzip", "gzip"],
  ["br;q=0, gzip;q=0.5", "gzip"],
  ["identity", null],
])("an asset is compressed for %s by %s, and never changes", async (accepted, encoding) => {
  const ask = await listen();
  const answer = await ask("/assets/index-a1.js", { "accept-encoding": accepted });
  expect(answer.headers.get("content-encoding")).toBe(encoding);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(await answer.text()).toBe(SCRIPT);
});

test.each([
  "/inbox",
  "/threads/abc",
  "/threads/abc/items",
  "/queue",
  "/hooks",
  "/decisions",
  "/usage",
  "/server",
])("%s is the page for a browser, and nothing for a program", async (path) => {
  const ask = await listen();
  expect(await (await ask(path, PAGE)).text()).toContain("Heddle");
  expect((await ask(path, { accept: "application/json" })).status).toBe(404);
});

test.each([
  "/assets/..%2Findex.html",
  "/assets/..%2F..%2Fheddle-outside.js",
  "/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
  "/assets/link.js",
  "/assets/index-a1.js.br",
  "/assets/__proto__",
])("%s is no file of the page", async (path) => {
  const answer = await (await listen())(path);
  expect(answer.status).toBe(404);
  expect(await answer.text()).toBe("there is no such page");
});

test("only reading is allowed", async () => {
  const ask = await listen();
  expect((await ask("/", {}, "POST")).status).toBe(405);
  const head = await ask("/", {}, "HEAD");
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

test("a checkout without a build says what to do", async () => {
  const answer = await (await listen("/nowhere"))("/");
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain("npm run build");
});
