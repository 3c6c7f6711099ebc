/** Attacks over the wire: answers that nobody was asked for, tokens that were not issued, and readers that do not read. */
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
import { type AttackGround, residentMiB } from "../attack-ground.ts";
import type { Scene } from "../scene.ts";

const ASKED = "item/commandExecution/requestApproval";
const UNTRUSTED = { approvalPolicy: "untrusted", sandbox: "danger-full-access" };
const HELLO = {
  clientInfo: { name: "wire", title: null, version: "1" },
  capabilities: { experimentalApi: true },
};
/** How long another client may wait, on a machine that has more to do. */
const OTHERS_MS = 5000;
/** What no attack may make a server hold. */
const MAX_MIB = 300;

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function introduce({ server }: Scene): Promise<RpcClient> {
  const client = await server.connect();
  await client.result("initialize", HELLO);
  return client;
}

/** Starts a turn whose command has to be approved, and returns the question's id. */
async function ask({ model }: Scene, client: RpcClient, mark: string): Promise<number> {
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
    async run(ground) {
      const home = await ground.home();
      const first = await ground.open({ transport: "ws", home });
      const mark = join(home.root, "approved");
      const stale = await ask(first, await introduce(first), mark);
      first.server.child.signal("SIGKILL");
      await first.server.child.exit;
      const second = await ground.open({ transport: "ws", home });
      const [owner, stranger] = [await introduce(second), await introduce(second)];
      const id = await ask(second, owner, mark);
      const guesses = [stale, 0, 1, id - 1, id + 1, `${id}`, `${stale}`].filter((guess) => guess !== id);
      for (const guess of guesses) {
        ground.random.pick([owner, stranger]).answer(guess, { decision: "accept" });
        stranger.answer(guess, { decision: "acceptForSession" });
      }
      await Promise.all([owner, stranger].map((client) => client.result("thread/loaded/list", {})));
      await wait(500);
      if (existsSync(mark)) ground.breach("a stale answer approved a command", { stale, id, guesses });
      if (id === stale) ground.breach("two servers gave the same id", { id });
    },
  },
  {
    name: "wire/answer of a stranger",
    promise: "only a client that was asked decides, and with an answer that says one thing",
    async run(ground) {
      const scene = await ground.open({ transport: ground.random.pick(["ws", "unix"]) });
      const mark = join(scene.server.home.root, "approved");
      const owner = await introduce(scene);
      const stranger = await introduce(scene);
      const id = await ask(scene, owner, mark);
      const yes = ground.random.pick([{ decision: "accept" }, { decision: "approved" }]);
      stranger.answer(id, yes);
      stranger.refuse(id, { code: -32_000, message: "no" });
      const both = ground.random.pick([
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
        ground.breach("the question was settled", { both, isMade: existsSync(mark), isResolved });
      owner.answer(id, { decision: "accept" });
      await owner.next({ method: "turn/completed" });
      if (!existsSync(mark)) ground.breach("the answer of whoever was asked did not count", { id });
    },
  },
  {
    name: "wire/junk with a token",
    promise: "a token is taken in the one form in which it was issued",
    async run(ground) {
      const home = await ground.home();
      const secret = randomBytes(32).toString("hex");
      await home.write("secret", secret);
      const args = ["--ws-auth", "signed-bearer-token", "--ws-shared-secret-file", join(home.root, "secret")];
      const server = await startServer({ program: ground.program, transport: "ws", home, args });
      ground.onEnd(() => server.stop());
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const sign = (body: string) =>
        `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
      const exp = Math.floor(Date.now() / 1000) + 600;
      const [header, claims] = [part({ alg: "HS256" }), part({ exp })];
      const token = sign(`${header}.${claims}`);
      const junk = ground.random.pick(["=", "==", "!", ",", ".", "\u00a0", "%", " x", "A", "AAAA", "+", "/"]);
      const at = ground.random.below(token.length + 1);
      const variant = ground.random.pick([
        `${token}${junk}`,
        `${token.slice(0, at)}${junk}${token.slice(at)}`,
        sign(`${header}${junk}.${claims}`),
        sign(`${header}.${claims}${junk}`),
        sign(`${part({ alg: ground.random.pick(["none", "hs256", "HS512", "RS256"]) })}.${claims}`),
        sign(`${header}.${part({ exp: ground.random.pick([`${exp}`, exp + 0.5, 1e300, null, true]) })}`),
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
      if (!(await isTaken(`Bearer ${token}`))) ground.breach("the token itself is refused", { token });
      if (await isTaken(`Bearer ${variant}`)) ground.breach("another text was taken", { token, variant });
    },
  },
  {
    name: "wire/flood without reading",
    promise: "a client that sends and does not read costs bounded memory and delays nobody",
    async run(ground) {
      const scene = await ground.open({ transport: "ws" });
      const { pid } = scene.server.child;
      const socket = await openDeaf(ground, scene);
      const what = ground.random.pick(["pings", "requests", "both"]);
      const until = Date.now() + 5000;
      for (let id = 10; Date.now() < until; ) {
        for (let count = 0; count < 500; count += 1, id += 1) {
          if (what !== "requests") socket.ping(Buffer.alloc(125, "x"));
          if (what !== "pings") socket.send(JSON.stringify({ id, method: "model/list", params: {} }));
        }
        // What this end cannot get rid of is not the server's memory.
        if (socket.bufferedAmount > 1_000_000) await wait(5);
        else await new Promise(setImmediate);
        // As much as may wait, as texts and as frames, and what a collector leaves lying of it.
        checkMemory(ground, pid, { what }, 400);
      }
      await within(scene.client.result("thread/loaded/list", {}), OTHERS_MS, "the answer to another client");
    },
  },
  {
    name: "wire/large answers without reading",
    promise: "large answers that are not read cost bounded memory, those that are read arrive whole",
    async run(ground) {
      const scene = await ground.open({ transport: "ws" });
      const { pid } = scene.server.child;
      const path = join(scene.server.home.workspace, "large");
      const bytes = randomBytes((20 + ground.random.below(50)) * 1024 * 1024);
      writeFileSync(path, bytes);
      for (let client = 0; client < 2; client += 1) {
        const socket = await openDeaf(ground, scene);
        for (let id = 10; id < 60; id += 1)
          socket.send(JSON.stringify({ id, method: "fs/readFile", params: { path } }));
      }
      await wait(3000);
      checkMemory(ground, pid, { mebibytes: bytes.length / 1024 / 1024 }, MAX_MIB + 2 * 64);
      const answer = await scene.client.result("fs/readFile", { path }, { milliseconds: 30_000 });
      const { dataBase64 } = answer as { dataBase64: string };
      if (!Buffer.from(dataBase64, "base64").equals(bytes)) ground.breach("a file did not arrive whole", {});
    },
  },
  {
    name: "wire/stdio without reading",
    promise: "output that a stdio client does not read costs bounded memory, whoever causes it",
    async run(ground) {
      const home = await ground.home();
      const { command, args } = ground.program;
      const child = spawn(command, [...args, "app-server"], {
        cwd: home.workspace,
        env: serverEnvironment(home),
        stdio: ["pipe", "pipe", "ignore"],
        detached: true,
      });
      ground.onEnd(() => process.kill(-(child.pid ?? 0), "SIGKILL"));
      const script = ground.random.pick(["yes", "cat /dev/zero", "yes €"]);
      const limits = { timeoutMs: null, outputBytesCap: null, streamStdoutStderr: true };
      const params = { command: ["sh", "-c", script], cwd: home.workspace, ...limits };
      const messages: object[] = [{ id: 1, method: "initialize", params: HELLO }];
      for (let id = 2; id < 6; id += 1)
        messages.push({ id, method: "process/spawn", params: { ...params, processHandle: `p${id}` } });
      child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
      for (let second = 0; second < 6; second += 1) {
        await wait(1000);
        checkMemory(ground, child.pid ?? 0, { script }, MAX_MIB / 2);
      }
    },
  },
];

/** A connection that has introduced itself and from then on reads nothing. */
async function openDeaf(ground: AttackGround, { server }: Scene): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${server.address}`, { perMessageDeflate: false });
  ground.onEnd(() => socket.terminate());
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("open", resolve));
  socket.send(JSON.stringify({ id: 1, method: "initialize", params: HELLO }));
  await new Promise((resolve) => socket.once("message", resolve));
  socket.pause();
  return socket;
}

function checkMemory(ground: AttackGround, pid: number, evidence: object, bound = MAX_MIB): void {
  const mebibytes = residentMiB(pid);
  if (mebibytes > bound) ground.breach("the server holds too much memory", { mebibytes, bound, ...evidence });
}
