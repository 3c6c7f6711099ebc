/**
 * Misbehaving commands: the server stays small and responsive, the turn ends, and no process is left running.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { encodeEvents, openFaultyModel, streamOf } from "../support/faulty-model.ts";
import { at } from "../support/json.ts";
import { modelConfig } from "../support/model-config.ts";
import {
  functionCallDone,
  messageDone,
  responseCompleted,
  responseCreated,
} from "../support/model-events.ts";
import { startServer } from "../support/start-server.ts";

const MEGABYTE = 1_000_000;

const says = streamOf(encodeEvents([responseCreated("r"), messageDone("m", "Done"), responseCompleted("r")]));
const runs = (cmd: string, more: object = {}) =>
  streamOf(
    encodeEvents([
      responseCreated("r"),
      functionCallDone("c", "exec_command", { cmd, ...more }),
      responseCompleted("r"),
    ]),
  );

async function openThread(optOutNotificationMethods: readonly string[] = []) {
  const model = await openFaultyModel();
  onTestFinished(() => model.close());
  const config = modelConfig(model.url).replace("read-only", "danger-full-access");
  const server = await startServer({ config, env: { SHELL: "/bin/sh" } });
  onTestFinished(() => server.stop().then(() => {}));
  const client = await server.connect();
  client.skip((text) => text.includes("outputDelta"));
  await client.result("initialize", {
    clientInfo: { name: "test", title: null, version: "1" },
    capabilities: { experimentalApi: true, optOutNotificationMethods },
  });
  const started = await client.result("thread/start", { cwd: server.home.workspace });
  const threadId = at(started, ["thread", "id"]);
  const input = [{ type: "text", text: "Go" }];
  const start = () => client.result("turn/start", { threadId, input });
  const status = async () =>
    at(await client.next({ method: "turn/completed" }, 60_000), ["params", "turn", "status"]);
  return {
    model,
    server,
    client,
    threadId,
    start,
    status,
    /** Runs a command in a turn; returns the turn and the command item. */
    async run(cmd: string, more: object = {}) {
      model.answerWith(runs(cmd, more), says);
      await start();
      const ended = await status();
      const item = client.received.findLast(
        ({ method, message }) =>
          method === "item/completed" && at(message, ["params", "item", "type"]) === "commandExecution",
      );
      return { ended, item: at(item?.message, ["params", "item"]) };
    },
    async end() {
      server.child.endInput();
      return await server.child.exit;
    },
  };
}

/** The command lines of the processes that mention `mark`. */
function processesWith(mark: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map((pid) => readProcess(`/proc/${pid}/cmdline`).replaceAll("\0", " "))
    .filter((line) => line.includes(mark));
}

/** Empty for a process that has exited meanwhile. */
function readProcess(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/u.exec(readProcess(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

describe("a command", () => {
  // The output of one command to a client is limited to 80 MB, which may be buffered as text and as bytes.
  test.each([
    { bytes: 1000 * MEGABYTE, optedOut: ["item/commandExecution/outputDelta"], limit: 100 * MEGABYTE },
    { bytes: 500 * MEGABYTE, optedOut: [], limit: 300 * MEGABYTE },
  ])(
    "that prints $bytes bytes costs little memory and delays nobody",
    async ({ bytes, optedOut, limit }) => {
      const { run, client, server } = await openThread(optedOut);
      await run("true");
      const before = residentBytes(server.child.pid);
      const flood = run(`head -c ${bytes} /dev/zero | tr '\\0' x`, { yield_time_ms: 30_000 });
      const over = new AbortController();
      const stop = () => over.abort();
      void flood.then(stop, stop);
      const waits: number[] = [];
      let most = before;
      while (!over.signal.aborted) {
        const asked = performance.now();
        await client.result("thread/loaded/list", {});
        waits.push(performance.now() - asked);
        most = Math.max(most, residentBytes(server.child.pid));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(await flood).toMatchObject({ ended: "completed", item: { status: "completed", exitCode: 0 } });
      waits.sort((a, b) => a - b);
      expect(waits[Math.floor(waits.length / 2)]).toBeLessThan(100);
      expect(most - before).toBeLessThan(limit);
    },
    60_000,
  );

  test("whose output is no text is shown as well as can be", async () => {
    const { run } = await openThread();
    const { ended, item } = await run("printf 'a\\377\\376\\000b'; head -c 100000 /dev/urandom");
    expect(ended).toBe("completed");
    expect(item).toMatchObject({ status: "completed", exitCode: 0 });
    expect(String(at(item, ["aggregatedOutput"])).slice(0, 5)).toBe("a\uFFFD\uFFFD\0b");
  });

  test("that leaves something behind ends when it ends itself", async () => {
    const { run, end } = await openThread();
    const { ended, item } = await run("sleep 1234.01 & echo started", { yield_time_ms: 20_000 });
    expect(ended).toBe("completed");
    expect(item).toMatchObject({ status: "completed", aggregatedOutput: "started\n" });
    expect(await end()).toEqual({ code: 0, signal: null });
    expect(processesWith("sleep 1234.01")).toEqual([]);
  });

  test("that does not listen to signals ends with the server", async () => {
    const { run, end } = await openThread();
    const stubborn = "trap '' TERM INT HUP; while :; do sleep 1234.02; done";
    expect(await run(stubborn, { yield_time_ms: 300 })).toMatchObject({ ended: "completed" });
    expect(processesWith("sleep 1234.02")).not.toEqual([]);
    expect(await end()).toEqual({ code: 0, signal: null });
    await expect.poll(() => processesWith("1234.02")).toEqual([]);
  });

  test("in a turn that is interrupted ends with the server at the latest", async () => {
    const { model, client, threadId, start, status, run, end } = await openThread();
    model.answerWith(runs("sleep 1234.03", { yield_time_ms: 20_000 }), says);
    const turnId = at(await start(), ["turn", "id"]);
    await client.next({ method: "item/started", params: { item: { type: "commandExecution" } } });
    await client.result("turn/interrupt", { threadId, turnId });
    expect(await status()).toBe("interrupted");
    expect(await run("true")).toMatchObject({ ended: "completed", item: { exitCode: 0 } });
    expect(await end()).toEqual({ code: 0, signal: null });
    await expect.poll(() => processesWith("sleep 1234.03")).toEqual([]);
  });
});
