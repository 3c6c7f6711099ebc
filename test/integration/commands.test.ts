import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHeddle } from "../../src/index.ts";
import { isGone } from "../../src/process/process-host.contract.ts";
import type { ServerNotifications } from "../../src/protocol/index.ts";
import { createTempHome } from "../support/temp-home.ts";

async function startServer() {
  const folders = await createTempHome({ config: "" });
  onTestFinished(() => folders.remove());
  const heddle = await createHeddle({
    home: folders.home,
    cwd: folders.workspace,
    env: { HOME: folders.user, PATH: process.env["PATH"] ?? "" },
  });
  onTestFinished(() => heddle.close());
  const connect = () => heddle.connect({ capabilities: { experimentalApi: true } });
  return { heddle, connect, path: (name: string) => join(folders.workspace, name) };
}

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof startServer>>["connect"]>>;

function next<M extends keyof ServerNotifications>(
  client: Client,
  method: M,
): Promise<ServerNotifications[M]> {
  return new Promise((resolve) => {
    const stop = client.on(method, (params) => {
      stop();
      resolve(params);
    });
  });
}

const FREE = { sandboxPolicy: { type: "dangerFullAccess" } } as const;
const sh = (script: string) => ({ command: ["sh", "-c", script], ...FREE });

describe("commands of clients", () => {
  test("without a name run side by side", async () => {
    const { connect, path } = await startServer();
    const client = await connect();
    const waits = client.request(
      "command/exec",
      sh(`until [ -e ${path("go")} ]; do sleep 0.02; done; echo went`),
    );
    const lets = client.request("command/exec", sh(`touch ${path("go")}`));
    expect(await Promise.all([waits, lets])).toEqual([
      { exitCode: 0, stdout: "went\n", stderr: "" },
      { exitCode: 0, stdout: "", stderr: "" },
    ]);
  });

  test("take what is sent right behind their start", async () => {
    const { connect } = await startServer();
    const client = await connect();
    const received: string[] = [];
    client.on("command/exec/outputDelta", ({ deltaBase64 }) => received.push(atob(deltaBase64)));
    const answers = [
      client.request("command/exec", {
        ...sh("cat"),
        processId: "p",
        streamStdin: true,
        streamStdoutStderr: true,
      }),
      client.request("command/exec/write", { processId: "p", deltaBase64: btoa("one ") }),
      client.request("command/exec/write", { processId: "p", deltaBase64: btoa("two"), closeStdin: true }),
    ];
    expect(await Promise.all(answers)).toEqual([{ exitCode: 0, stdout: "", stderr: "" }, {}, {}]);
    expect(received.join("")).toBe("one two");
  });

  test("send their output to their own client only, and end with it", async () => {
    const { connect } = await startServer();
    const [client, other] = await Promise.all([connect(), connect()]);
    const strange: unknown[] = [];
    other.on("command/exec/outputDelta", (params) => strange.push(params));
    other.on("process/outputDelta", (params) => strange.push(params));
    const script = "echo $$; sleep 60";
    const command = client
      .request("command/exec", { ...sh(script), processId: "p", streamStdoutStderr: true })
      .catch((error: Error) => error);
    const commandPid = Number(atob((await next(client, "command/exec/outputDelta")).deltaBase64));
    const spawned = next(client, "process/outputDelta");
    await client.request("process/spawn", {
      command: ["sh", "-c", script],
      processHandle: "p",
      cwd: "/",
      streamStdoutStderr: true,
    });
    const processPid = Number(atob((await spawned).deltaBase64));
    await client.close();
    await command;
    expect(await Promise.all([commandPid, processPid].map(isGone))).toEqual([true, true]);
    expect(strange).toEqual([]);
  });

  test("end with the server", async () => {
    const { connect, heddle } = await startServer();
    const client = await connect();
    const command = client
      .request("command/exec", { ...sh("echo $$; sleep 60"), processId: "p", streamStdoutStderr: true })
      .catch((error: Error) => error);
    const pid = Number(atob((await next(client, "command/exec/outputDelta")).deltaBase64));
    await heddle.close();
    await command;
    expect(await isGone(pid)).toBe(true);
  });
});

describe("files of clients", () => {
  test("are watched and found", async () => {
    const { connect, path } = await startServer();
    const client = await connect();
    await client.request("fs/watch", { watchId: "w", path: path("") });
    const changed = next(client, "fs/changed");
    writeFileSync(path("some-file.txt"), "");
    expect(await changed).toEqual({ watchId: "w", changedPaths: [path("some-file.txt")] });
    const { files } = await client.request("fuzzyFileSearch", { query: "somefile", roots: ["."] });
    expect(files.map((file) => file.path)).toEqual(["some-file.txt"]);
    const completed = next(client, "fuzzyFileSearch/sessionCompleted");
    await client.request("fuzzyFileSearch/sessionStart", { sessionId: "s", roots: ["."] });
    expect(await completed).toEqual({ sessionId: "s" });
  });
});
