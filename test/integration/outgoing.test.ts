/** Outbound queues: a reader gets everything, and a client that does not read costs bounded memory. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import { connect } from "../../src/client/index.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import {
  HEDDLE,
  type RunningServer,
  type StartOptions,
  serverEnvironment,
  startServer,
} from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const MEBIBYTE = 1024 * 1024;
const hello = {
  clientInfo: { name: "test", title: null, version: "1" },
  capabilities: { experimentalApi: true },
};

async function start(options?: StartOptions): Promise<RunningServer> {
  const server = await startServer(options);
  onTestFinished(() => server.stop().then(() => {}));
  return server;
}

function residentMebibytes(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

/** The peak memory of a process. */
function peakMebibytes(pid: number): number {
  const [, kilobytes = "0"] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

function makeFile(server: RunningServer, mebibytes: number): { path: string; bytes: Buffer } {
  const path = join(server.home.workspace, "large");
  const bytes = randomBytes(mebibytes * MEBIBYTE);
  writeFileSync(path, bytes);
  return { path, bytes };
}

describe("a large file", () => {
  test.each(["ws", "unix"] as const)("arrives whole over %s", { timeout: 60_000 }, async (transport) => {
    const server = await start({ transport });
    const client = await server.connect();
    await client.result("initialize", hello);
    const { path, bytes } = makeFile(server, 60);
    const { dataBase64 } = (await client.result("fs/readFile", { path }, { milliseconds: 50_000 })) as {
      dataBase64: string;
    };
    expect(Buffer.from(dataBase64, "base64").equals(bytes)).toBe(true);
    expect(await client.result("thread/loaded/list", {})).toMatchObject({ data: [] });
    // Once as bytes, and never as a whole string.
    expect(peakMebibytes(server.child.pid)).toBeLessThan(60 + 60 + 100);
  });

  test("of more than the library's own bound arrives at the client of the package", {
    timeout: 60_000,
  }, async () => {
    const server = await start({ transport: "ws" });
    const client = await connect(`ws://${server.address}`, { clientInfo: hello.clientInfo });
    onTestFinished(() => client.close());
    const { path, bytes } = makeFile(server, 100);
    const { dataBase64 } = await client.request("fs/readFile", { path });
    expect(Buffer.from(dataBase64, "base64").equals(bytes)).toBe(true);
  });
});

describe("a client that does not read", () => {
  test("can send pings without end", { timeout: 60_000 }, async () => {
    const server = await start({ transport: "ws" });
    const socket = new WebSocket(`ws://${server.address}`, { perMessageDeflate: false });
    onTestFinished(() => socket.terminate());
    await new Promise((resolve) => socket.once("open", resolve));
    socket.pause();
    const data = Buffer.alloc(125, "x");
    for (let round = 0; round < 400; round += 1) {
      for (let count = 1; count < 1000; count += 1) socket.ping(data);
      await new Promise((resolve) => socket.ping(data, true, resolve));
    }
    const other = await server.connect();
    await other.result("initialize", hello);
    expect(residentMebibytes(server.child.pid)).toBeLessThan(160);
  });

  test.each([
    ["a process of its own that writes without end", "own"],
    ["a command of the model that writes zero bytes", "model"],
  ])("can have %s", { timeout: 60_000 }, async (_, whose) => {
    const home = await createTempHome();
    onTestFinished(() => home.remove());
    const zeros = { cmd: "head -c 100000000 /dev/zero", login: false, yield_time_ms: 30_000 };
    const model = await openScriptedModel([
      reply("1", functionCallDone("call_1", "exec_command", zeros)),
      messageReply("Done", { id: "9" }),
    ]);
    onTestFinished(() => model.close());
    await home.write("home/config.toml", modelConfig(model.url));
    const { request, goDeaf, pid } = startOverStdio(home);
    await request("initialize", hello);
    if (whose === "own") {
      const limits = { timeoutMs: null, outputBytesCap: null, streamStdoutStderr: true };
      const params = { processHandle: "p", command: ["yes"], cwd: home.workspace, ...limits };
      await request("process/spawn", params);
      goDeaf();
      await new Promise((resolve) => setTimeout(resolve, 6000));
    } else {
      const { thread } = await request("thread/start", { sandbox: "danger-full-access" });
      await request("turn/start", { threadId: thread?.id, input: [{ type: "text", text: "Go" }] });
      goDeaf();
      await model.arrived(2);
    }
    expect(peakMebibytes(pid)).toBeLessThan(whose === "own" ? 130 : 300);
  });
});

/** A server whose output is read until the test stops reading. */
function startOverStdio(home: TempHome) {
  const child = spawn(HEDDLE.command, [...HEDDLE.args, "app-server"], {
    cwd: home.workspace,
    env: serverEnvironment(home),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout });
  onTestFinished(
    () =>
      new Promise((resolve) => {
        child.once("close", () => resolve());
        child.stdout.resume();
        child.kill("SIGKILL");
      }),
  );
  return {
    pid: child.pid ?? 0,
    request: (method: string, params: object) =>
      new Promise<{ thread?: { id: string } }>((resolve) => {
        child.stdin.write(`${JSON.stringify({ id: method, method, params })}\n`);
        lines.on("line", (line) => {
          const { id, result } = JSON.parse(line) as { id?: unknown; result?: object };
          if (id === method) resolve(result ?? {});
        });
      }),
    goDeaf() {
      lines.close();
      child.stdout.pause();
    },
  };
}
