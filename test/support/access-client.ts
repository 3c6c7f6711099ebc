/** Clients of a built `heddle serve` that has tokens, sessions and paired devices. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { Child } from "./child.ts";
import { HEDDLE, serverEnvironment } from "./start-server.ts";
import { createTempHome, type TempHome } from "./temp-home.ts";

const DEADLINE = 20_000;
const SECRET = "0123456789abcdef0123456789abcdef";
const INITIALIZE = { clientInfo: { name: "test", version: "1" }, capabilities: { experimentalApi: true } };

export async function openHome(config = "") {
  const home = await createTempHome({ config });
  onTestFinished(() => home.remove());
  writeFileSync(join(home.root, "secret"), SECRET, { mode: 0o600 });
  return home;
}

const WITH_TOKENS = (home: TempHome) => [
  "--ws-auth=signed-bearer-token",
  `--ws-shared-secret-file=${join(home.root, "secret")}`,
];

export async function serve(home: TempHome, args: readonly string[] = WITH_TOKENS(home)) {
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, "serve", "--listen=ws://127.0.0.1:0", ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  onTestFinished(async () => void (await child.stop()));
  const [, host = ""] = await child.stderrMatch(/listening on {2}ws:\/\/(127\.0\.0\.1:\d+)/u, DEADLINE);
  await child.stderrMatch(/Ctrl-C ends it/u, DEADLINE);
  const ticket = /#ticket=([\w-]+)/u.exec(child.stderr)?.[1] ?? "";
  return { host, ticket, child };
}

/** `POST /session` of the own page. */
export async function exchange(host: string, code: string, origin = `http://${host}`) {
  const headers = { origin, "content-type": "application/json" };
  const body = JSON.stringify({ ticket: code });
  const answer = await fetch(`http://${host}/session`, { method: "POST", headers, body });
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  return { status: answer.status, cookie, attributes: answer.headers.get("set-cookie"), answer };
}

export async function heddle(home: TempHome, ...args: string[]): Promise<string> {
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  const { code } = await child.exit;
  expect([code, code === 0 ? "" : child.stderr]).toEqual([0, ""]);
  return child.stdout;
}

export async function pair(home: TempHome, host: string, ...args: string[]): Promise<string> {
  const { url } = JSON.parse(await heddle(home, "pair", "--json", ...args)) as { url: string };
  const { cookie, status } = await exchange(host, url.split("#pair=")[1] ?? "");
  expect(status).toBe(200);
  return cookie;
}

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A signed token, as the header of a request. */
export function tokenOf(scope: string, sub: string | null): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { exp: Math.floor(Date.now() / 1000) + 600, scope, ...(sub !== null && { sub }) };
  const body = `${part({ alg: "HS256" })}.${part(claims)}`;
  return `Bearer ${body}.${createHmac("sha256", SECRET).update(body).digest("base64url")}`;
}

/** The status of an upgrade that is refused, or an initialized connection. */
export async function connect(host: string, headers: Record<string, string>) {
  const socket = new WebSocket(`ws://${host}/`, { headers });
  onTestFinished(() => socket.terminate());
  socket.on("error", () => {});
  const outcome = await Promise.race([
    once(socket, "open").then(() => null),
    once(socket, "unexpected-response").then(([, answer]) => (answer as { statusCode: number }).statusCode),
  ]);
  if (outcome !== null) return outcome;
  let id = 0;
  const answers = new Map<unknown, (message: Message) => void>();
  const notices: Message[] = [];
  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.method !== undefined) notices.push(message);
    else answers.get(message.id)?.(message);
  });
  function call(method: string, params: unknown): Promise<Message> {
    const own = id++;
    const answer = new Promise<Message>((resolve) => void answers.set(own, resolve));
    socket.send(JSON.stringify({ id: own, method, params }));
    return answer;
  }
  const greeted = (await call("initialize", INITIALIZE)) as unknown as { result: { access?: unknown } };
  return { socket, call, notices, access: greeted.result.access };
}

export const opened = async (...args: Parameters<typeof connect>) => {
  const connected = await connect(...args);
  if (typeof connected === "number") throw new Error(`refused with ${connected}`);
  return connected;
};
