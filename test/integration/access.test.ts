/** Pairing, sessions, origins and scopes on a built `heddle serve`. */
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  connect,
  exchange,
  heddle,
  opened,
  openHome,
  pair,
  serve,
  tokenOf,
} from "../support/access-client.ts";

test("the printed ticket signs one browser in, whose cookie counts with the own origin only", async () => {
  const home = await openHome();
  const { host, ticket } = await serve(home);
  const own = `http://${host}`;
  const { cookie, attributes } = await exchange(host, ticket);
  expect(attributes).toMatch(/; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/u);
  expect((await exchange(host, ticket)).status).toBe(401);
  const { access } = await opened(host, { origin: own, cookie });
  expect(access).toEqual({ subject: null, scopes: ["read", "answer", "operate", "admin"] });
  expect(await connect(host, { cookie })).toBe(401);
  expect(await connect(host, { origin: own })).toBe(401);
  expect(await connect(host, { origin: "http://evil.example", cookie })).toBe(403);
  expect(await connect(host, { origin: "null", cookie })).toBe(403);
  // DNS rebinding: the page's own name leads to this address.
  expect(await connect(host, { host: "evil.example", origin: "http://evil.example", cookie })).toBe(403);
});

test("the session of a request counts by what the browser says, and ends with DELETE", async () => {
  const home = await openHome();
  const { host, ticket } = await serve(home);
  const { cookie } = await exchange(host, ticket);
  const session = async (headers: Record<string, string>, method = "GET") => {
    // The fetch of Node sets `sec-fetch-*` itself, so the headers of a browser are the last that are set.
    const answer = await fetch(`http://${host}/session`, { method, headers });
    return answer.status;
  };
  expect(await session({ cookie, origin: `http://${host}` })).toBe(200);
  expect(await session({ cookie })).toBe(401);
  expect(await session({ origin: `http://${host}` })).toBe(401);
  expect(await session({ cookie, origin: "http://evil.example" }, "DELETE")).toBe(403);
  const { socket } = await opened(host, { origin: `http://${host}`, cookie });
  const closed = once(socket, "close");
  expect(await session({ cookie, origin: `http://${host}` }, "DELETE")).toBe(204);
  await closed;
  expect(await session({ cookie, origin: `http://${host}` })).toBe(401);
});

test("without authentication the own page connects without a ticket, and another page does not", async () => {
  const home = await openHome();
  const { host } = await serve(home, []);
  expect((await opened(host, { origin: `http://${host}` })).access).toBeUndefined();
  expect(await connect(host, { origin: "http://localhost:1" })).toBe(403);
  const cookie = await pair(home, host, "--scope", "read");
  const { access } = await opened(host, { origin: `http://${host}`, cookie });
  expect(access).toEqual({ subject: null, scopes: ["read"] });
});

test("--no-console serves no page, no session and no origin", async () => {
  const home = await openHome();
  const { host, child } = await serve(home, ["--no-console"]);
  expect((await fetch(`http://${host}/`)).status).toBe(400);
  expect((await exchange(host, "x")).status).toBe(403);
  expect(await connect(host, { origin: `http://${host}` })).toBe(403);
  expect(child.stderr).not.toContain("Open ");
});

test("a revoked device is disconnected, with its streams, and stays out", async () => {
  const home = await openHome();
  const { host } = await serve(home);
  const own = {
    origin: `http://${host}`,
    cookie: await pair(home, host, "--name", "phone", "--subject", "ana"),
  };
  const { socket, call, access } = await opened(host, own);
  expect(access).toEqual({ subject: "ana", scopes: ["read", "answer", "operate"] });
  const started = (await call("thread/start", {})) as unknown as { result: { thread: { id: string } } };
  await call("turn/start", { threadId: started.result.thread.id, input: [{ type: "text", text: "hello" }] });
  const url = `http://${host}/threads/${started.result.thread.id}/events?offset=-1&live=sse`;
  const stream = await fetch(url, { headers: own });
  expect(stream.status).toBe(200);
  const ended = stream.text().then(
    () => "ended",
    () => "ended",
  );
  const closed = once(socket, "close");
  expect(await heddle(home, "pair", "list")).toContain("phone");
  expect(await heddle(home, "pair", "revoke", "phone")).toMatch(/^revoked: phone/u);
  await closed;
  expect(await ended).toBe("ended");
  expect(await connect(host, own)).toBe(401);
  expect(await heddle(home, "pair", "list")).toContain("revoked");
});

test("wrong codes are limited, and a right one is refused with them", async () => {
  const home = await openHome();
  const { host, ticket } = await serve(home);
  const statuses: number[] = [];
  const guesses = Array.from({ length: 12 }, (_, index) => `${index}`.padEnd(22, "x"));
  await Promise.all(guesses.map(async (code) => statuses.push((await exchange(host, code)).status)));
  expect(statuses.filter((status) => status === 401)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  const refused = await exchange(host, ticket);
  expect([refused.status, Number(refused.answer.headers.get("retry-after")) > 0]).toEqual([429, true]);
});

test("the scope of a signed token limits methods, rights and folders", async () => {
  const home = await openHome();
  const { host } = await serve(home);
  const codeOf = async (client: Awaited<ReturnType<typeof opened>>, method: string, params: object) =>
    (await client.call(method, params)).error?.code ?? null;
  const reader = await opened(host, { authorization: tokenOf("read", "bot") });
  expect(reader.access).toEqual({ subject: "bot", scopes: ["read"] });
  expect(await codeOf(reader, "thread/list", {})).toBeNull();
  expect(await codeOf(reader, "thread/start", {})).toBe(-32003);
  expect(await codeOf(reader, "thread/list", { cwd: "/etc" })).toBeNull();
  for (const [method, params] of [
    ["hooks/list", { cwds: ["/etc"] }],
    ["skills/list", { cwds: ["/etc"] }],
    ["rule/list", { cwd: "/etc" }],
  ] as const)
    expect([method, await codeOf(reader, method, params)]).toEqual([method, -32003]);
  expect(await codeOf(reader, "hooks/list", { cwds: [home.workspace] })).toBeNull();
  const operator = await opened(host, { authorization: tokenOf("read operate", "bot") });
  expect(await codeOf(operator, "thread/start", {})).toBeNull();
  expect(await codeOf(operator, "thread/start", { sandbox: "danger-full-access" })).toBe(-32003);
  expect(await codeOf(operator, "thread/start", { approvalPolicy: "never" })).toBe(-32003);
  expect(await codeOf(operator, "thread/start", { config: { sandbox_mode: "danger-full-access" } })).toBe(
    -32003,
  );
  expect(await codeOf(operator, "thread/start", { cwd: "/" })).toBe(-32003);
  expect(await codeOf(operator, "thread/start", { cwd: home.workspace })).toBeNull();
  // A thread that is started in a project by its name marks the project as trusted.
  mkdirSync(join(home.workspace, ".codex"));
  expect(await codeOf(operator, "thread/start", { cwd: home.workspace })).toBe(-32003);
  expect(await codeOf(operator, "fs/readFile", { path: "/etc/hostname" })).toBe(-32003);
  expect(await codeOf(operator, "device/pair", {})).toBe(-32003);
  expect(await connect(host, { authorization: tokenOf("write", "bot") })).toBe(401);
});

test("devices are paired, listed and revoked by an administrator, who is notified", async () => {
  const home = await openHome();
  const { host, ticket } = await serve(home);
  const origin = `http://${host}`;
  const admin = await opened(host, { origin, cookie: (await exchange(host, ticket)).cookie });
  const made = (await admin.call("device/pair", { name: "tablet", scopes: ["read"] })) as unknown as {
    result: { code: string; path: string };
  };
  expect(made.result.path).toBe(`/#pair=${made.result.code}`);
  const { cookie } = await exchange(host, made.result.code);
  const noticed = () => admin.notices.filter(({ method }) => method === "device/changed");
  await expect
    .poll(noticed)
    .toMatchObject([{ params: { device: { name: "tablet", scopes: ["read"], revokedAt: null } } }]);
  const tablet = await opened(host, { origin, cookie });
  const listed = (await admin.call("device/list", {})) as unknown as { result: { data: { id: string }[] } };
  const [device] = listed.result.data;
  expect(device).toMatchObject({ name: "tablet" });
  const closed = once(tablet.socket, "close");
  await admin.call("device/revoke", { deviceId: device?.id });
  await closed;
});
