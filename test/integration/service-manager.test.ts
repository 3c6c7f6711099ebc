/**
 * `heddle serve` as a systemd service: passed sockets, notifications, and what child processes see of them.
 */
import { existsSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { modelConfig } from "../support/model-config.ts";
import { messageReply } from "../support/model-events.ts";
import { lackOf, testUnless } from "../support/needs-program.ts";
import { createRpcClient, type RpcClient } from "../support/rpc-client.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { type ManagedOptions, type ManagedServer, startManaged } from "../support/service-manager.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";
import { openWebSocketWire } from "../support/wire.ts";

const TOKEN = "a-token-that-nobody-guesses";

async function createHome(config = ""): Promise<TempHome> {
  const home = await createTempHome({ config });
  onTestFinished(() => home.remove());
  return home;
}

async function start(
  home: TempHome,
  opens: readonly string[],
  rest: Pick<ManagedOptions, "args" | "env"> = {},
): Promise<ManagedServer & { readonly port: number }> {
  const server = startManaged({ home, opens, ...rest });
  await server.child.stderrMatch(/does not wait\.\n/u, 20_000);
  const port = opens.some((each) => /^(?:tcp|any)=/u.test(each))
    ? (await server.line(/^port (\d+)$/u))[1]
    : 0;
  return { ...server, port: Number(port) };
}

async function introduce(url: string): Promise<RpcClient> {
  const client = createRpcClient(await openWebSocketWire(url));
  onTestFinished(() => client.close());
  await client.result("initialize", { clientInfo: { name: "test", version: "1" } });
  return client;
}

/**
 * The output of a sandboxed command. It has network access, because without it no socket could be opened at
 * all.
 */
async function runConfined(client: RpcClient, script: string): Promise<string> {
  const result = await client.result("command/exec", {
    command: ["sh", "-c", script],
    sandboxPolicy: { type: "readOnly", networkAccess: true },
    timeoutMs: 20_000,
  });
  return (result as { readonly stdout: string }).stdout;
}

const probe = (socketPath: string, path: string, headers = {}): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request({ socketPath, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });

const lack = lackOf("perl");

describe("notices", () => {
  testUnless(lack, "tell of the start, of life and of the end, through a way that was opened", async () => {
    const model = await openScriptedModel([messageReply("Done", { held: true })]);
    onTestFinished(() => model.close());
    const home = await createHome(modelConfig(model.url));
    const socket = join(home.root, "notify");
    const server = await start(home, [`notify=${socket}`, "tcp=web", "open=notify"], {
      env: { WATCHDOG_USEC: "400000" },
    });
    await server.line(
      new RegExp(`^told READY=1\\|STATUS=listening on ws://127\\.0\\.0\\.1:${server.port}$`, "u"),
    );
    await server.line(/^told WATCHDOG=1$/u);
    const client = await introduce(`ws://127.0.0.1:${server.port}`);
    const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
    await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text: "Go" }] });
    await model.arrived(1);

    process.kill(await server.pid(), "SIGTERM");
    await server.line(/^told STOPPING=1\|STATUS=running turns are finished first$/u);
    const get = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
      return [answer.status, await answer.text()];
    };
    expect(await get("/readyz")).toEqual([503, "the server is ending: running turns are finished first"]);
    expect(await get("/healthz")).toEqual([200, ""]);
    model.release();
    await client.next({ method: "turn/completed" });
    expect(await server.child.exit).toEqual({ code: 0, signal: null });
    const notices = server.notifications();
    const behind = notices.slice(notices.findIndex((each) => each.startsWith("STOPPING=1")) + 1);
    const others = behind.filter((each) => each !== "WATCHDOG=1");
    expect(others).toEqual([
      expect.stringMatching(
        /^STATUS=running turns are finished first: turn \S+ of thread \S+ runs \(at most 540 s/u,
      ),
    ]);
  });

  testUnless(
    lack ?? lackOf("systemd-notify"),
    "go through systemd-notify to a place without a file",
    async () => {
      const home = await createHome();
      const server = await start(home, [`notify=@heddle-test-${process.pid}`], {
        args: ["--listen=ws://127.0.0.1:0"],
      });
      await server.line(/^told READY=1\|STATUS=listening on ws:\/\/127\.0\.0\.1:\d+$/u);
      process.kill(await server.pid(), "SIGTERM");
      expect((await server.child.exit).code).toBe(0);
      expect(server.notifications().some((each) => each.startsWith("STOPPING=1"))).toBe(true);
    },
    { optional: true },
  );

  testUnless(
    lack,
    "are not sent to a manager that asks for none, nor before the server is of use",
    async () => {
      const home = await createHome("model = ");
      const socket = join(home.root, "notify");
      const broken = startManaged({
        home,
        opens: [`notify=${socket}`, "open=notify"],
        args: ["--listen=ws://127.0.0.1:0"],
      });
      expect((await broken.child.exit).code).toBe(1);
      expect(broken.notifications()).toEqual([]);
    },
  );

  for (const socket of ["/nowhere/notify", "/etc/passwd", "relative", "vsock:2:1234", "@"]) {
    testUnless(lack, `that nobody takes at ${socket} cost a line of the log and nothing else`, async () => {
      const home = await createHome();
      const server = await start(home, ["tcp=web"], {
        env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "200000" },
      });
      await server.child.stderrMatch(/ERROR the service manager could not be notified/u, 20_000);
      expect((await fetch(`http://127.0.0.1:${server.port}/readyz`)).status).toBe(200);
      process.kill(await server.pid(), "SIGTERM");
      expect((await server.child.exit).code).toBe(0);
      expect(server.child.stderr.match(/could not be notified/gu)).toHaveLength(1);
    });
  }
});

describe("sockets that are handed over", () => {
  testUnless(lack, "are served, all of them, and their files stay", async () => {
    const home = await createHome();
    const file = join(home.root, "heddle.sock");
    const server = await start(home, ["tcp=web", `unix=${file}`]);
    await introduce(`ws://127.0.0.1:${server.port}`);
    await introduce(`ws+unix:${file}:/`);
    expect(server.child.stderr).toContain(`listening on  ws://127.0.0.1:${server.port}\n`);
    expect(server.child.stderr).toContain(`listening on  unix://${file}\n`);
    process.kill(await server.pid(), "SIGTERM");
    expect((await server.child.exit).code).toBe(0);
    expect(existsSync(file)).toBe(true);
  });

  testUnless(lack, "ask for the token, on a file that others may open as well", async () => {
    const home = await createHome();
    const [file, tokenFile] = [join(home.root, "heddle.sock"), join(home.root, "token")];
    writeFileSync(tokenFile, TOKEN);
    await start(home, ["any=web", "mode=0666", `unix=${file}`], {
      args: ["--ws-auth=capability-token", `--ws-token-file=${tokenFile}`],
    });
    const upgrade = (headers: object) =>
      probe(file, "/", {
        connection: "upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
        ...headers,
      });
    expect(await upgrade({})).toBe(401);
    expect(await upgrade({ authorization: "Bearer wrong" })).toBe(401);
    expect(await upgrade({ authorization: `Bearer ${TOKEN}`, origin: "https://evil.example" })).toBe(403);
    const wire = await openWebSocketWire(`ws+unix:${file}:/`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    wire.close();
  });

  testUnless(lack ?? lackOf("bwrap"), "and what is known of them are not for commands", async () => {
    const home = await createHome();
    const [file, notify] = [join(home.root, "heddle.sock"), join(home.root, "notify")];
    const server = await start(home, [`notify=${notify}`, "tcp=web", `unix=${file}`, "open=notify"], {
      env: { WATCHDOG_USEC: "60000000" },
    });
    const client = await introduce(`ws+unix:${file}:/`);
    const call = (target: string) =>
      `${process.execPath} -e "require('node:net').connect(${target}).on('connect',()=>{console.log('in');process.exit()}).on('error',e=>console.log(e.code))"`;
    expect(await runConfined(client, call(`'${file}'`))).toMatch(/^(?:ECONNREFUSED|ENOTSOCK)\n$/u);
    const variables = await runConfined(client, "env; echo whole");
    expect(variables).toMatch(/whole\n$/u);
    expect(variables).not.toMatch(/^(?:LISTEN_|NOTIFY_|WATCHDOG_)/mu);
    // The shell opens the folder itself; beyond that it has the descriptors of every command.
    const files = await runConfined(client, "for each in /proc/self/fd/*; do readlink $each; done");
    expect(files.match(/socket:/gu)?.length ?? 0).toBeLessThanOrEqual(3);
    const tell = `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_DGRAM,0);print send(S,"STOPPING=1",0,pack_sockaddr_un("${notify}"))?"told":"silent"'`;
    expect(await runConfined(client, tell)).toBe("silent");
    expect(server.notifications().filter((each) => each.startsWith("STOPPING"))).toEqual([]);
  });

  for (const [opens, env, args, code, expected] of [
    [
      ["any=web"],
      {},
      [],
      1,
      /refusing to start non-loopback websocket listener 0\.0\.0\.0:\d+ without auth/u,
    ],
    [["mode=0660", "unix=SOCKET"], {}, [], 1, /others may call; set SocketMode=0600, or add --ws-auth/u],
    [["file=web"], {}, [], 1, /file 3 \("web"\) of the service manager is no socket to listen on/u],
    [["tcp=web", "datagram=dns"], {}, [], 1, /file 4 \("dns"\) of the service manager is no socket/u],
    [["tcp=web"], { LISTEN_FDS: "5" }, [], 1, /file 4 \(""\) of the service manager is no socket/u],
    [["tcp=web"], { LISTEN_FDS: "1000000" }, [], 1, /LISTEN_FDS is "1000000": up to 64 sockets/u],
    [["tcp=web"], {}, ["--listen=ws://127.0.0.1:0"], 2, /'--listen' cannot be used where a socket unit/u],
  ] as const) {
    testUnless(lack, `are refused: ${opens.join(" ")} ${JSON.stringify(env)} ${args.join(" ")}`, async () => {
      const home = await createHome();
      const named = opens.map((each) => each.replace("SOCKET", join(home.root, "heddle.sock")));
      const { child } = startManaged({ home, opens: named, args, env });
      expect((await child.exit).code).toBe(code);
      expect(child.stderr).toMatch(expected);
      expect(child.stderr).not.toContain("listening on");
    });
  }

  testUnless(lack, "for another process are left alone", async () => {
    const home = await createHome();
    const server = await start(home, ["tcp=web"], {
      env: { LISTEN_PID: "1" },
      args: ["--listen=ws://127.0.0.1:0"],
    });
    expect(server.child.stderr).not.toContain(`:${server.port}\n`);
  });
});
