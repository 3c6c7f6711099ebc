/** Attacks over the wire: unsolicited answers, forged tokens, and clients that do not read. */
import { spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import WebSocket from "ws";
import { functionCallDone, messageReply, reply } from "../../support/model-events.ts";
import type { RpcClient } from "../../support/rpc-client.ts";
import { serverEnvironment, startServer } from "../../support/start-server.ts";
import { within } from "../../support/within.ts";
import type { Attack } from "../attack.ts";
import { type AttackHarness, residentMiB } from "../attack-harness.ts";
import type { AttackedServer } from "../attacked-server.ts";

const ASKED = "item/commandExecution/requestApproval";
const UNTRUSTED = { approvalPolicy: "untrusted", sandbox: "danger-full-access" };
const HELLO = {
  clientInfo: { name: "wire", title: null, version: "1" },
  capabilities: { experimentalApi: true },
};
/** The maximum wait of another client, on a busy machine. */
const OTHERS_MS = 5000;
/** The memory limit of a server under attack, in MiB. */
const MAX_MIB = 300;

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function introduce({ server }: AttackedServer): Promise<RpcClient> {
  const client = await server.connect();
  await client.result("initialize", HELLO);
  return client;
}

/** Starts a turn whose command requires approval, and returns the id of the request. */
async function ask({ model }: AttackedServer, client: RpcClient, mark: string): Promise<number> {
  const call = functionCallDone("call_1", "exec_command", { cmd: `touch ${mark}`, login: false });
  model.extend([reply("1", call), messageReply("Done", { id: "2" })]);
  const { thread } = (await client.result("thread/start", UNTRUSTED)) as { thread: { id: string } };
  await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text: "Go" }] });
  return (await client.next({ method: ASKED }))["id"] as number;
}

export const wireAttacks: readonly Attack[] = [
  {
    name: "wire/stale answer",
    promise: "an answer to a question of an earlier server approves nothing",
    async run(harness) {
      const home = await harness.home();
      const first = await harness.open({ transport: "ws", home });
      const mark = join(home.root, "approved");
      const stale = await ask(first, await introduce(first), mark);
      first.server.child.signal("SIGKILL");
      await first.server.child.exit;
      const second = await harness.open({ transport: "ws", home });
      const [owner, stranger] = [await introduce(second), await introduce(second)];
      const id = await ask(second, owner, mark);
      const guesses = [stale, 0, 1, id - 1, id + 1, `${id}`, `${stale}`].filter((guess) => guess !== id);
      for (const guess of guesses) {
        harness.random.pick([owner, stranger]).answer(guess, { decision: "accept" });
        stranger.answer(guess, { decision: "acceptForSession" });
      }
      await Promise.all([owner, stranger].map((client) => client.result("thread/loaded/list", {})));
      await wait(500);
      if (existsSync(mark)) harness.breach("a stale answer approved a command", { stale, id, guesses });
      if (id === stale) harness.breach("two servers gave the same id", { id });
    },
  },
  {
    name: "wire/answer of a stranger",
    promise: "only a client that was asked decides, and with an answer that says one thing",
    async run(harness) {
      const attacked = await harness.open({ transport: harness.random.pick(["ws", "unix"]) });
      const mark = join(attacked.server.home.root, "approved");
      const owner = await introduce(attacked);
      const stranger = await introduce(attacked);
      const id = await ask(attacked, owner, mark);
      const yes = harness.random.pick([{ decision: "accept" }, { decision: "approved" }]);
      stranger.answer(id, yes);
      stranger.refuse(id, { code: -32_000, message: "no" });
      const both = harness.random.pick([
        { result: yes, error: { code: 1, message: "no" } },
        { error: { code: 1, message: "no" }, result: yes },
        { result: null, error: { code: 1, message: "no" } },
        { result: yes, error: "no" },
      ]);
      owner.wire.send(JSON.stringify({ id, ...both }));
      await Promise.all([owner, stranger].map((client) => client.result("thread/loaded/list", {})));
      await wait(300);
      const isResolved = owner.received.some(({ method }) => method === "serverRequest/resolved");
      if (existsSync(mark) || isResolved)
        harness.breach("the question was settled", { both, isMade: existsSync(mark), isResolved });
      owner.answer(id, { decision: "accept" });
      await owner.next({ method: "turn/completed" });
      if (!existsSync(mark)) harness.breach("the answer of whoever was asked did not count", { id });
    },
  },
  {
    name: "wire/junk with a token",
    promise: "a token is taken in the one form in which it was issued",
    async run(harness) {
      const home = await harness.home();
      const secret = randomBytes(32).toString("hex");
      await home.write("secret", secret);
      const args = ["--ws-auth", "signed-bearer-token", "--ws-shared-secret-file", join(home.root, "secret")];
      const server = await startServer({ program: harness.program, transport: "ws", home, args });
      harness.onEnd(() => server.stop());
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const sign = (body: string) =>
        `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
      const exp = Math.floor(Date.now() / 1000) + 600;
      const [header, claims] = [part({ alg: "HS256" }), part({ exp })];
      const token = sign(`${header}.${claims}`);
      const junk = harness.random.pick([
        "=",
        "==",
        "!",
        ",",
        ".",
        "\u00a0",
        "%",
        " x",
        "A",
        "AAAA",
        "+",
        "/",
      ]);
      const at = harness.random.below(token.length + 1);
      const variant = harness.random.pick([
        `${token}${junk}`,
        `${token.slice(0, at)}${junk}${token.slice(at)}`,
        sign(`${header}${junk}.${claims}`),
        sign(`${header}.${claims}${junk}`),
        sign(`${part({ alg: harness.random.pick(["none", "hs256", "HS512", "RS256"]) })}.${claims}`),
        sign(`${header}.${part({ exp: harness.random.pick([`${exp}`, exp + 0.5, 1e300, null, true]) })}`),
        token.replace(/[^.]*$/u, ""),
      ]);
      const isTaken = async (authorization: string) => {
        try {
          const wire = await server.openWire({ headers: { authorization } });
          wire.close();
          return true;
        } catch {
          return false;
        }
      };
      if (!(await isTaken(`Bearer ${token}`))) harness.breach("the token itself is refused", { token });
      if (await isTaken(`Bearer ${variant}`)) harness.breach("another text was taken", { token, variant });
    },
  },
  {
    name: "wire/flood without reading",
    promise: "a client that sends and does not read costs bounded memory and delays nobody",
    async run(harness) {
      const attacked = await harness.open({ transport: "ws" });
      const { pid } = attacked.server.child;
      const socket = await openDeaf(harness, attacked);
      const what = harness.random.pick(["pings", "requests", "both"]);
      const until = Date.now() + 5000;
      for (let id = 10; Date.now() < until; ) {
        for (let count = 0; count < 500; count += 1, id += 1) {
          if (what !== "requests") socket.ping(Buffer.alloc(125, "x"));
          if (what !== "pings") socket.send(JSON.stringify({ id, method: "model/list", params: {} }));
        }
        // Data that this end cannot send is not in the server's memory.
        if (socket.bufferedAmount > 1_000_000) await wait(5);
        else await new Promise(setImmediate);
        // The maximum backlog, as text and as frames, plus garbage that is not collected yet.
        checkMemory(harness, pid, { what }, 400);
      }
      await within(
        attacked.client.result("thread/loaded/list", {}),
        OTHERS_MS,
        "the answer to another client",
      );
    },
  },
  {
    name: "wire/large answers without reading",
    promise: "large answers that are not read cost bounded memory, those that are read arrive whole",
    async run(harness) {
      const attacked = await harness.open({ transport: "ws" });
      const { pid } = attacked.server.child;
      const path = join(attacked.server.home.workspace, "large");
      const bytes = randomBytes((20 + harness.random.below(50)) * 1024 * 1024);
      writeFileSync(path, bytes);
      for (let client = 0; client < 2; client += 1) {
        const socket = await openDeaf(harness, attacked);
        for (let id = 10; id < 60; id += 1)
          socket.send(JSON.stringify({ id, method: "fs/readFile", params: { path } }));
      }
      await wait(3000);
      checkMemory(harness, pid, { mebibytes: bytes.length / 1024 / 1024 }, MAX_MIB + 2 * 64);
      const answer = await attacked.client.result("fs/readFile", { path }, { milliseconds: 30_000 });
      const { dataBase64 } = answer as { dataBase64: string };
      if (!Buffer.from(dataBase64, "base64").equals(bytes)) harness.breach("a file did not arrive whole", {});
    },
  },
  {
    name: "wire/stdio without reading",
    promise: "output that a stdio client does not read costs bounded memory, whoever causes it",
    async run(harness) {
      const home = await harness.home();
      const { command, args } = harness.program;
      const child = spawn(command, [...args, "app-server"], {
        cwd: home.workspace,
        env: serverEnvironment(home),
        stdio: ["pipe", "pipe", "ignore"],
        detached: true,
      });
      harness.onEnd(() => process.kill(-(child.pid ?? 0), "SIGKILL"));
      const script = harness.random.pick(["yes", "cat /dev/zero", "yes €"]);
      const limits = { timeoutMs: null, outputBytesCap: null, streamStdoutStderr: true };
      const params = { command: ["sh", "-c", script], cwd: home.workspace, ...limits };
      const messages: object[] = [{ id: 1, method: "initialize", params: HELLO }];
      for (let id = 2; id < 6; id += 1)
        messages.push({ id, method: "process/spawn", params: { ...params, processHandle: `p${id}` } });
      child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
      for (let second = 0; second < 6; second += 1) {
        await wait(1000);
        checkMemory(harness, child.pid ?? 0, { script }, MAX_MIB / 2);
      }
    },
  },
];

/** An initialized connection that reads nothing afterwards. */
async function openDeaf(harness: AttackHarness, { server }: AttackedServer): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${server.address}`, { perMessageDeflate: false });
  harness.onEnd(() => socket.terminate());
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("open", resolve));
  socket.send(JSON.stringify({ id: 1, method: "initialize", params: HELLO }));
  await new Promise((resolve) => socket.once("message", resolve));
  socket.pause();
  return socket;
}

function checkMemory(harness: AttackHarness, pid: number, evidence: object, bound = MAX_MIB): void {
  const mebibytes = residentMiB(pid);
  if (mebibytes > bound)
    harness.breach("the server holds too much memory", { mebibytes, bound, ...evidence });
}
