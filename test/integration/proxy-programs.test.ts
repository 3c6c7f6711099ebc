/** The configuration of docs/operating.md for nginx and Caddy, in front of a server with a token. */
import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { modelConfig } from "../support/model-config.ts";
import { messageReply, unfinishedReply } from "../support/model-events.ts";
import { lackOf, testUnless } from "../support/needs-program.ts";
import { caddy, nginx, type ProxyProgram, startNginxForUsers } from "../support/proxy-programs.ts";
import { createRpcClient, type RpcClient } from "../support/rpc-client.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { bearer, serve, TOKEN, upgrade } from "../support/serve.ts";
import { startManaged } from "../support/service-manager.ts";
import { createTempHome } from "../support/temp-home.ts";
import { toWire } from "../support/wire.ts";

const HOST = "heddle.example";
const PAGE = "https://app.example";
/** A caller with another address than the proxy. */
const CALLER = "127.0.0.2";
const ARGS = ["--ws-allow-host", HOST, "--ws-allow-origin", PAGE];

/** The request options of a client that resolves the proxy's name. */
function calling(headers: object = {}, host = HOST) {
  return {
    headers: { host, ...headers },
    servername: HOST,
    rejectUnauthorized: false,
    localAddress: CALLER,
  };
}

function ask(port: number, path: string, headers: object = {}, method = "GET") {
  return new Promise<{ readonly status: number | undefined; readonly body: string }>((resolve, reject) => {
    const options = { ...calling(headers), host: "127.0.0.1", port, path, method };
    request(options, (answer) => {
      let body = "";
      answer.on("data", (chunk: Buffer) => (body += chunk.toString()));
      answer.on("end", () => resolve({ status: answer.statusCode, body }));
    })
      .on("error", reject)
      .end();
  });
}

async function introduce(port: number): Promise<RpcClient> {
  const socket = new WebSocket(`wss://127.0.0.1:${port}`, calling(bearer));
  onTestFinished(() => socket.terminate());
  const client = createRpcClient(await toWire(socket));
  await client.result("initialize", { clientInfo: { name: "test", version: "1" } });
  return client;
}

async function startTurn(client: RpcClient): Promise<void> {
  const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
  await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text: "Go" }] });
}

describe.each<ProxyProgram>([nginx, caddy])("behind $name", (program) => {
  const { lack } = program;
  const testBehind = (name: string, body: () => Promise<void>) =>
    testUnless(lack, `${program.name}: ${name}`, body, { optional: true });

  testBehind("probes, tokens, pages and tickets are as they are without it", async () => {
    const server = await serve([...ARGS, "--trusted-proxy", "127.0.0.1"]);
    const { port } = await program.start(server.port);
    const url = `wss://127.0.0.1:${port}`;
    expect(await ask(port, "/healthz")).toEqual({ status: 200, body: "" });
    expect(await ask(port, "/readyz")).toEqual({ status: 200, body: "" });
    expect(await upgrade(url, calling(bearer))).toBe("101");
    expect(await upgrade(url, calling())).toBe("401 missing websocket bearer token");
    const evil = calling({ ...bearer, origin: "https://evil.example" });
    expect(await upgrade(url, evil)).toMatch(/^403 web pages are not served/u);
    expect(await upgrade(url, calling(bearer, "other.example"))).not.toMatch(/^101/u);

    expect(await ask(port, "/ticket", {}, "POST")).toMatchObject({ status: 401 });
    const issue = async (): Promise<string> => {
      const { body } = await ask(port, "/ticket", bearer, "POST");
      return (JSON.parse(body) as { ticket: string }).ticket;
    };
    const page = calling({ origin: PAGE });
    const ticket = await issue();
    expect(await upgrade(`${url}/?ticket=${ticket}`, page)).toBe("101");
    expect(await upgrade(`${url}/?ticket=${ticket}`, page)).toMatch(/^401 the ticket/u);
    const protocols = ["codex", `heddle-ticket.${await issue()}`];
    expect(await upgrade(url, { ...page, protocols })).toBe("101 codex");

    // A caller can claim any address: the proxy appends the real one.
    expect(await upgrade(url, calling({ ...bearer, "x-forwarded-for": "203.0.113.9" }))).toBe("101");
    const log = await server.log();
    const through = expect.stringMatching(/^127\.0\.0\.1:\d+$/u);
    expect(log.about("connection opened")).toMatchObject(
      Array.from({ length: 4 }, () => ({ from: CALLER, through, scheme: "https" })),
    );
    expect(log.text).not.toContain("203.0.113.9");
    expect(log.text).not.toContain(TOKEN);
  });

  testBehind("who called it is not in the log of a server that does not know it", async () => {
    const server = await serve(ARGS);
    const { port } = await program.start(server.port);
    expect(await upgrade(`wss://127.0.0.1:${port}`, calling(bearer))).toBe("101");
    const log = await server.log();
    expect(log.about("connection opened")).toMatchObject([
      { from: expect.stringMatching(/^127\.0\.0\.1:/u) },
    ]);
    expect(log.text).not.toContain(CALLER);
  });

  testBehind("deltas arrive while the turn goes on, and turns end", async () => {
    const model = await openScriptedModel([unfinishedReply("half"), messageReply("Done")]);
    onTestFinished(() => model.close());
    const server = await serve(ARGS, { config: modelConfig(model.url) });
    const { port } = await program.start(server.port);
    const client = await introduce(port);
    await startTurn(client);
    await client.next({ method: "item/agentMessage/delta", params: { delta: "half" } });
    expect(client.received.some(({ method }) => method === "turn/completed")).toBe(false);
    const other = await introduce(port);
    await startTurn(other);
    await other.next({ method: "turn/completed" });
  });

  testUnless(
    lack ?? lackOf("perl"),
    `${program.name}: a socket of systemd that it may open, too, asks for the token`,
    async () => {
      const home = await createTempHome({ config: "" });
      onTestFinished(() => home.remove());
      const [file, tokenFile] = [join(home.root, "alice.sock"), join(home.root, "token")];
      writeFileSync(tokenFile, TOKEN);
      const args = ["--ws-auth=capability-token", `--ws-token-file=${tokenFile}`];
      const server = startManaged({ home, opens: ["mode=0660", `unix=${file}`], args });
      await server.child.stderrMatch(/does not wait\.\n/u, 20_000);
      const { port } = await program.start(file);
      expect(await ask(port, "/readyz")).toEqual({ status: 200, body: "" });
      const url = `wss://127.0.0.1:${port}`;
      expect(await upgrade(url, calling())).toBe("401 missing websocket bearer token");
      expect(await upgrade(url, calling({ ...bearer, origin: PAGE }))).toMatch(/^403 web pages/u);
      await startTurn(await introduce(port));
    },
    { optional: true },
  );

  testBehind("whoever has lost it comes back, and a reload disturbs nobody", async () => {
    const server = await serve(ARGS);
    const proxy = await program.start(server.port);
    const client = await introduce(proxy.port);
    if (proxy.reload !== undefined) {
      await proxy.reload();
      await startTurn(client);
      await client.next({ method: "turn/completed" });
      await introduce(proxy.port);
    }
    await proxy.child.stop();
    await client.wire.ended;
    const again = await program.start(server.port);
    await startTurn(await introduce(again.port));
  });
});

testUnless(
  nginx.lack ?? lackOf("perl"),
  "nginx: one block serves several users, each with a server and a token of their own",
  async () => {
    const places = await createTempHome({ config: "" });
    onTestFinished(() => places.remove());
    const sockets = places.root;
    for (const user of ["alice", "bob"]) {
      const home = await createTempHome({ config: "" });
      onTestFinished(() => home.remove());
      const tokenFile = join(home.root, "token");
      writeFileSync(tokenFile, `${TOKEN}-of-${user}`);
      const args = ["--ws-auth=capability-token", `--ws-token-file=${tokenFile}`];
      const opens = ["mode=0660", `unix=${join(sockets, `${user}.sock`)}`];
      await startManaged({ home, opens, args }).child.stderrMatch(/does not wait\.\n/u, 20_000);
    }
    const { port } = await startNginxForUsers(sockets);
    const call = (user: string, tokenOf: string) =>
      upgrade(
        `wss://127.0.0.1:${port}`,
        calling({ authorization: `Bearer ${TOKEN}-of-${tokenOf}` }, `${user}.heddle.example`),
      );
    expect([await call("alice", "alice"), await call("bob", "bob")]).toEqual(["101", "101"]);
    expect(await call("alice", "bob")).toMatch(/^401/u);
    expect(await call("carol", "alice")).toMatch(/^502/u);
    expect(await call("../alice", "alice")).not.toMatch(/^101/u);
  },
  { optional: true },
);
