/** Thousands of pending approvals: other threads are not slowed down, and each approval gets its answer. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseJson } from "../support/json.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { startServer } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";
import type { Wire } from "../support/wire.ts";

const THREADS = 100;
const QUESTIONS = process.env["SEED"] === "random" ? 100 : 30;
const SAMPLES = 15;
/** The additional CPU time that a turn may take; wall time means little on a busy machine. */
const SLACK_MS = 10;
const WALL_SLACK_MS = 250;
const MAX_GROWTH_MB = 250;

type Message = { readonly id?: number; readonly method?: string; readonly result?: unknown };

/** A client that counts messages, because storing and searching them would distort the measurement. */
function listen(wire: Wire) {
  const counts = new Map<string, number>();
  const asked: number[] = [];
  const answers = new Map<number, (result: unknown) => void>();
  let waiting: { readonly isSo: () => boolean; readonly resolve: () => void } | null = null;
  let lastId = 0;
  wire.onText((text) => {
    const message = parseJson(text) as Message;
    if (message.method === undefined) answers.get(message.id ?? -1)?.(message.result);
    else {
      counts.set(message.method, (counts.get(message.method) ?? 0) + 1);
      if (message.id !== undefined) asked.push(message.id);
    }
    if (waiting?.isSo() === true) waiting.resolve();
  });
  return {
    asked,
    count: (method: string) => counts.get(method) ?? 0,
    until: (isSo: () => boolean) =>
      new Promise<void>((resolve) => {
        if (isSo()) resolve();
        else waiting = { isSo, resolve };
      }),
    request: (method: string, params: unknown) =>
      new Promise<unknown>((resolve) => {
        lastId += 1;
        answers.set(lastId, resolve);
        wire.send(JSON.stringify({ id: lastId, method, params }));
      }),
    answer: (id: number, result: unknown) => wire.send(JSON.stringify({ id, result })),
  };
}

function residentMb(pid: number): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

/** The CPU time of the process so far. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const MS_PER_TICK = 10;
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

test.skipIf(process.platform !== "linux")(
  "thousands of open questions slow no other thread down, and all of them are settled",
  { timeout: 120_000 },
  async () => {
    const calls = Array.from({ length: QUESTIONS }, (_, index) =>
      functionCallDone(`call_${index}`, "exec_command", { cmd: `touch made-${index}` }),
    );
    const plain = messageReply("Done");
    const model = await openScriptedModel([
      ...Array.from({ length: 2 * SAMPLES }, () => plain),
      ...Array.from({ length: THREADS }, (_, index) => reply(`many_${index}`, ...calls)),
      plain,
    ]);
    const home = await createTempHome({ config: modelConfig(model.url) });
    const server = await startServer({ home });
    try {
      const client = listen(await server.openWire());
      await client.request("initialize", { clientInfo: { name: "load", title: null, version: "1" } });
      const start = async (params: object): Promise<string> =>
        ((await client.request("thread/start", params)) as { thread: { id: string } }).thread.id;
      const turn = (threadId: string) =>
        client.request("turn/start", { threadId, input: [{ type: "text", text: "Go" }] });
      const quiet = await start({});
      async function timeTurns(): Promise<{ wall: number; processor: number }> {
        const times: number[] = [];
        const used = processorMs(server.child.pid);
        for (let sample = 0; sample < SAMPLES; sample += 1) {
          const completed = client.count("turn/completed");
          const begun = performance.now();
          await turn(quiet);
          await client.until(() => client.count("turn/completed") > completed);
          times.push(performance.now() - begun);
        }
        return { wall: median(times), processor: (processorMs(server.child.pid) - used) / SAMPLES };
      }
      await timeTurns();
      const before = await timeTurns();
      const memoryBefore = residentMb(server.child.pid);

      for (let each = 0; each < THREADS; each += 1) {
        await turn(await start({ approvalPolicy: "untrusted", sandbox: "danger-full-access" }));
      }
      await client.until(() => client.asked.length === THREADS * QUESTIONS);
      const during = await timeTurns();
      const growth = residentMb(server.child.pid) - memoryBefore;

      const completed = client.count("turn/completed");
      for (const id of client.asked) client.answer(id, { decision: "decline" });
      await client.until(() => client.count("turn/completed") === completed + THREADS);
      expect(client.count("serverRequest/resolved")).toBe(THREADS * QUESTIONS);
      expect(new Set(client.asked).size).toBe(THREADS * QUESTIONS);
      expect(during.processor).toBeLessThan(Math.max(2 * before.processor, before.processor + SLACK_MS));
      expect(during.wall).toBeLessThan(Math.max(2 * before.wall, before.wall + WALL_SLACK_MS));
      expect(growth).toBeLessThan(MAX_GROWTH_MB);
    } finally {
      await server.stop();
      await model.close();
      await home.remove();
    }
  },
);
