/**
 * Rounds with questions on one home: a turn makes three calls, two of which ask, and the server is killed at random times,
 * also right after an answer. A question that a client has seen is never lost, and a call runs at most once and never
 * without an approval.
 */
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { isObject, type JsonObject, parseJson } from "../support/json.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import type { Random } from "../support/random.ts";
import { createRpcClient, type RpcClient } from "../support/rpc-client.ts";
import { type Program, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";
import { Violation } from "../support/violation.ts";
import { within } from "../support/within.ts";

export interface QuestionRoundsOptions {
  readonly random: Random;
  readonly program: Program;
  readonly isEnough: (rounds: number) => boolean;
  readonly onRound?: (rounds: number) => void;
}

export interface QuestionReport {
  /** Each round has one turn and several kills. */
  readonly rounds: number;
  readonly kills: number;
  /** Questions that a client has seen. */
  readonly seen: number;
  /** Calls that ran with an approval. */
  readonly ran: number;
  /** Approved calls that were cut off by a kill before their effect. */
  readonly cutOff: number;
}

interface QuestionHarness {
  readonly home: TempHome;
  readonly program: Program;
  readonly random: Random;
  readonly report: { rounds: number; kills: number; seen: number; ran: number; cutOff: number };
}

const CLIENT = {
  clientInfo: { name: "crash", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};
const RULES = 'prefix_rule(pattern=["tee"], decision="prompt")\n';
const ASKS = "[approvals]\nafter_restart = 'ask'\n";
const THREAD = { approvalPolicy: "on-request", sandbox: "danger-full-access" };
const MAX_KILLS = 4;
const MAX_WORK_MS = 250;
const DEADLINE_MS = 15_000;

export async function playQuestionRounds(options: QuestionRoundsOptions): Promise<QuestionReport> {
  const { random, program, isEnough, onRound } = options;
  const model = await openCallingModel();
  const home = await createTempHome({ config: modelConfig(model.url, { tables: ASKS }) });
  await home.write("home/rules/default.rules", RULES);
  const report = { rounds: 0, kills: 0, seen: 0, ran: 0, cutOff: 0 };
  const harness = { home, program, random, report };
  try {
    for (; !isEnough(report.rounds); onRound?.(report.rounds)) {
      await playRound(harness, `r${report.rounds}`);
      report.rounds += 1;
    }
    return report;
  } finally {
    await model.close();
    await home.remove();
  }
}

async function playRound(harness: QuestionHarness, name: string): Promise<void> {
  const { random, report } = harness;
  const seen = new Set<string>();
  let threadId = "";
  const kills = 1 + random.below(MAX_KILLS);
  for (let kill = 0; kill < kills; kill += 1) {
    await withServer(harness, async (client) => {
      if (threadId === "") threadId = await begin(client, name);
      else await continueTurn(client, threadId, seen);
      await pause(random.below(MAX_WORK_MS));
      for (const { id } of await list(client, threadId, "open")) seen.add(String(id));
      // Usually the server is gone before it responds.
      if (random.chance(0.4)) void answerOne(harness, client, threadId).catch(() => {});
      await pause(random.below(20));
    });
    report.kills += 1;
  }
  report.seen += seen.size;
  await withServer(harness, async (client) => {
    await continueTurn(client, threadId, seen);
    await within(finish(client, threadId), DEADLINE_MS, "the end of the turn");
    verify(harness, name, await list(client, threadId, "closed"));
  });
}

async function begin(client: RpcClient, name: string): Promise<string> {
  const { thread } = (await client.result("thread/start", THREAD)) as { thread: { id: string } };
  const input = [{ type: "text", text: `Go ${name}` }];
  await client.result("turn/start", { threadId: thread.id, input });
  return thread.id;
}

/** A question that a client has seen is open under its id, or decided. */
async function continueTurn(client: RpcClient, threadId: string, seen: ReadonlySet<string>): Promise<void> {
  const known = new Set((await list(client, threadId, "all")).map(({ id }) => String(id)));
  const lost = [...seen].filter((id) => !known.has(id));
  if (lost.length > 0) throw new Violation("a question is gone", { threadId, lost, known: [...known] });
  await client.request("thread/resume", { threadId });
}

async function answerOne({ random }: QuestionHarness, client: RpcClient, threadId: string): Promise<void> {
  const open = await list(client, threadId, "open");
  if (open.length === 0) return;
  const { id } = random.pick(open);
  await client.request("approval/answer", { id, decision: random.chance(0.7) ? "accept" : "decline" });
}

/** Answers everything until the thread is idle. */
async function finish(client: RpcClient, threadId: string): Promise<void> {
  for (;;) {
    for (const { id } of await list(client, threadId, "open"))
      await client.request("approval/answer", { id, decision: "accept" });
    const { thread } = (await client.result("thread/read", { threadId })) as {
      thread: { status: JsonObject };
    };
    if (thread.status["type"] !== "active") return;
    await pause(10);
  }
}

function verify({ home, report }: QuestionHarness, name: string, decisions: readonly JsonObject[]): void {
  const file = join(home.workspace, "ran");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const countOf = (call: string) => lines.filter((line) => line === `${name}-${call}`).length;
  const fail = (what: string, more: object): never => {
    throw new Violation(what, { name, decisions, ...more });
  };
  if (countOf("one") > 1) fail("a call that asked nobody ran twice", { count: countOf("one") });
  for (const call of ["two", "three"]) {
    const count = countOf(call);
    const own = decisions.filter(({ command }) => String(command).includes(`${name}-${call} `));
    const isApproved = own.some(({ verdict }) => isObject(verdict) && verdict["outcome"] === "approved");
    if (count > 1) fail("an approved call ran twice", { call, count });
    if (count === 1 && !isApproved) fail("a call ran without an approval", { call });
    if (count === 1) report.ran += 1;
    else if (isApproved) report.cutOff += 1;
  }
}

async function list(client: RpcClient, threadId: string, status: string): Promise<JsonObject[]> {
  const params = { threadId, status, limit: 100 };
  return ((await client.result("approval/list", params)) as { data: JsonObject[] }).data;
}

async function withServer(
  { program, home }: QuestionHarness,
  work: (client: RpcClient) => Promise<void>,
): Promise<void> {
  const server = await startServer({ program, home, transport: "ws" });
  try {
    const client = createRpcClient(await server.openWire());
    await client.result("initialize", CLIENT);
    await work(client);
  } finally {
    await server.stop();
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}

/** Answers a prompt `Go NAME` with three calls, and everything else with a message. */
async function openCallingModel(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const body = parseJson(Buffer.concat(chunks).toString()) as { input: readonly JsonObject[] };
      const last = body.input.at(-1);
      const name = last?.["role"] === "user" ? /Go (r\d+)/.exec(JSON.stringify(last))?.[1] : undefined;
      const given = name === undefined ? messageReply("Done", { id: "9" }) : threeCalls(name);
      const events = "events" in given ? given.events : [];
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function threeCalls(name: string) {
  const run = (call: string, cmd: string) =>
    functionCallDone(`${name}-${call}`, "exec_command", { cmd, login: false });
  return reply(
    name,
    run("one", `echo ${name}-one >> ran`),
    run("two", `echo ${name}-two | tee -a ran`),
    run("three", `echo ${name}-three | tee -a ran`),
  );
}
