/** Attacks on paired devices: sessions in foreign pages, codes that are guessed, rights that are extended. */
import { randomBytes } from "node:crypto";
import { WebSocket } from "ws";
import type { Attack } from "../attack.ts";
import { type AttackedServer, command } from "../attacked-server.ts";
import { WORKSPACE, workspaceOnly } from "./bounds.ts";

const SERVE = { subcommand: "serve", transport: "ws" } as const;
const SCOPES = ["read", "answer", "operate"];

const hostOf = ({ server }: AttackedServer): string => server.address ?? "";

function exchange(host: string, code: string, origin: string): Promise<Response> {
  const headers = { origin, "content-type": "application/json" };
  return fetch(`http://${host}/session`, { method: "POST", headers, body: JSON.stringify({ ticket: code }) });
}

/** The cookie of a device that was paired. */
async function pair(attacked: AttackedServer, subject: string | null = null): Promise<string> {
  const wanted = { scopes: SCOPES, subject };
  const { code } = (await attacked.client.result("device/pair", wanted)) as { code: string };
  const answer = await exchange(hostOf(attacked), code, `http://${hostOf(attacked)}`);
  return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

async function openDevice(attacked: AttackedServer, subject: string | null = null) {
  const cookie = await pair(attacked, subject);
  const device = await attacked.server.connect({ headers: { cookie, origin: `http://${hostOf(attacked)}` } });
  await device.result("initialize", {
    clientInfo: { name: "device", title: null, version: "1" },
    capabilities: { experimentalApi: true },
  });
  return device;
}

/** The status of an upgrade; 101 if it was let in. */
function upgrade(host: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`ws://${host}/`, { headers });
  return new Promise((resolve) => {
    socket.on("error", () => resolve(0));
    socket.on("unexpected-response", (_, { statusCode = 0 }) => resolve(statusCode));
    socket.on("open", () => {
      socket.terminate();
      resolve(101);
    });
  });
}

export const accessAttacks: readonly Attack[] = [
  {
    name: "access/sessions in foreign pages",
    promise: "the session of a browser counts for the page of the server, and for no other page",
    async run(harness) {
      const attacked = await harness.open(SERVE);
      const host = hostOf(attacked);
      const port = host.split(":")[1] ?? "";
      const cookie = await pair(attacked);
      const own = await upgrade(host, { cookie, origin: `http://${host}` });
      if (own !== 101) harness.breach("the own page cannot connect", { own });
      const foreign: readonly Record<string, string>[] = [
        { origin: "null" },
        { origin: `https://${host}` },
        { origin: `http://127.0.0.1:${Number(port) + 1}` },
        { origin: `http://${host}.evil.example` },
        { origin: `http://${host}@evil.example` },
        { origin: `http://evil.example:${port}`, host: `evil.example:${port}` },
        { origin: `http://${host}`, host: `evil.example:${port}` },
        { origin: `http://${host}, http://evil.example` },
        { origin: "http://evil.example", "sec-fetch-site": "same-origin" },
        { origin: "http://evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" },
      ];
      for (const headers of foreign) {
        const status = await upgrade(host, { cookie, ...headers });
        if (status === 101) harness.breach("a foreign page connects with the session", { headers });
      }
    },
  },
  {
    name: "access/guessed codes",
    promise: "codes cannot be guessed, and a code is valid once",
    async run(harness) {
      const attacked = await harness.open(SERVE);
      const host = hostOf(attacked);
      const { code } = (await attacked.client.result("device/pair", {})) as { code: string };
      const twice = await Promise.all([1, 2, 3].map(() => exchange(host, code, `http://${host}`)));
      const paired = twice.filter(({ status }) => status === 200).length;
      if (paired !== 1) harness.breach("a code paired several devices", { paired });
      const guesses = Array.from({ length: 200 }, () => randomBytes(16).toString("base64url"));
      const statuses = await Promise.all(
        guesses.map(async (guess) => (await exchange(host, guess, `http://${host}`)).status),
      );
      const judged = statuses.filter((status) => status !== 429).length;
      if (judged > 5) harness.breach("more guesses were judged than the limit allows", { judged });
    },
  },
  {
    name: "access/confined callers",
    promise: "no confined command connects as the page of the server",
    async run(harness) {
      const attacked = await harness.open({ ...SERVE, tables: workspaceOnly("network_access = true\n") });
      const host = hostOf(attacked);
      const upgradeRequest = `curl -si --max-time 3 -H 'Origin: http://${host}' -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==' http://${host}/`;
      const { outputs } = await attacked.play([command(upgradeRequest)], {
        thread: { ...WORKSPACE, cwd: attacked.server.home.workspace },
      });
      if (JSON.stringify(outputs).includes("101 Switching")) harness.breach("it connected", { outputs });
    },
  },
  {
    name: "access/extended rights",
    promise: "a device without `admin` extends no rights and reads no files",
    async run(harness) {
      const attacked = await harness.open(SERVE);
      const { threadId } = await attacked.play([command("true")]);
      const device = await openDevice(attacked);
      const input = [{ type: "text", text: "hello" }];
      const rights = harness.random.pick([
        { sandboxPolicy: { type: "dangerFullAccess" } },
        { approvalPolicy: "never" },
        { permissions: "danger-full-access" },
        { runtimeWorkspaceRoots: ["/"] },
        { cwd: "/" },
      ]);
      const attempts: readonly (readonly [string, object])[] = [
        ["turn/start", { threadId, input, ...rights }],
        ["thread/settings/update", { threadId, ...rights }],
        ["thread/queue/add", { threadId, turnStartParams: { threadId, input, ...rights } }],
        ["thread/start", { sandbox: "danger-full-access" }],
        ["thread/fork", { threadId, config: { sandbox_mode: "danger-full-access" } }],
        ["thread/shellCommand", { threadId, command: "id" }],
        ["process/spawn", { command: ["id"], processHandle: "p", cwd: "/" }],
        ["command/exec", { command: ["id"] }],
        ["fs/readFile", { path: "/etc/passwd" }],
        ["config/read", {}],
        ["device/pair", { scopes: ["read", "admin"] }],
        ["thread/wakeToken/create", { threadId }],
      ];
      for (const [method, params] of attempts) {
        const answer = (await device.request(method, params)) as { error?: unknown };
        if (answer.error === undefined) harness.breach("a right was extended", { method, params });
      }
    },
  },
  {
    name: "access/threads of others",
    promise:
      'with `access.threads = "own"` no client reaches the thread of another one, or writes in its name',
    async run(harness) {
      const attacked = await harness.open({ ...SERVE, tables: '[access]\nthreads = "own"\n' });
      const [ana, ben] = [await openDevice(attacked, "ana"), await openDevice(attacked, "ben")];
      const started = (await ana.result("thread/start", {})) as { thread: { id: string } };
      const id = started.thread.id;
      const bare = id.replaceAll("-", "");
      const spellings = [
        id,
        id.toUpperCase(),
        `{${id}}`,
        `urn:uuid:${id}`,
        `URN:UUID:${id}`,
        bare,
        bare.toUpperCase(),
      ];
      const input = [{ type: "text", text: "in the name of ana" }];
      for (const threadId of [...spellings, ` ${id}`, `${id}\u0000`]) {
        const own = ((await ben.result("thread/start", {})) as { thread: { id: string } }).thread.id;
        const attempts: readonly (readonly [string, object])[] = [
          ["thread/read", { threadId }],
          ["thread/resume", { threadId }],
          ["thread/fork", { threadId }],
          ["thread/subscribe", { threadId }],
          ["thread/unsubscribe", { threadId }],
          ["turn/start", { threadId, input, sentBy: "ana" }],
          ["thread/queue/add", { threadId: own, turnStartParams: { threadId, input } }],
          ["getConversationSummary", { conversationId: threadId }],
          ["thread/list", { parentThreadId: threadId }],
          ["thread/list", { ancestorThreadId: threadId }],
          ["schedule/create", { schedule: NIGHTLY, target: { type: "thread", threadId }, input }],
          ["lifecycle/subscribe", { threadId }],
        ];
        for (const [method, params] of attempts) {
          const answer = (await ben.request(method, params)) as { error?: unknown };
          if (answer.error === undefined)
            harness.breach("the thread of another one was reached", { method, threadId });
        }
      }
      const mine = ((await ben.result("thread/start", {})) as { thread: { id: string } }).thread.id;
      const spoofed = { threadId: mine, input, clientUserMessageId: "k", sentBy: "ana" };
      await ben.result("thread/queue/pause", { threadId: mine });
      await ben.result("thread/queue/add", { threadId: mine, turnStartParams: spoofed });
      const queue = JSON.stringify(await ben.result("thread/queue/list", { threadId: mine }));
      if (/"sentBy":"ana"/u.test(queue)) harness.breach("a client chose its own name", { queue });
    },
  },
];

const NIGHTLY = { type: "cron", expression: "0 3 * * *", timeZone: "UTC" };
