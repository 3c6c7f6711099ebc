/** Invalid responses of a model of all kinds: the turn ends, and the thread accepts another one. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHeddle } from "../../src/index.ts";
import type { ThreadItem, Turn } from "../../src/protocol/index.ts";
import {
  brokenAfter,
  encodeEvents,
  type FaultyModel,
  type ModelAnswer,
  openFaultyModel,
  silentAfter,
  status,
  streamOf,
} from "../support/faulty-model.ts";
import {
  functionCallDone,
  type ModelEvent,
  messageDone,
  responseCompleted,
  responseCreated,
} from "../support/model-events.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

type Heddle = Awaited<ReturnType<typeof createHeddle>>;

let model: FaultyModel;
let folders: TempHome;
let heddle: Heddle;

function provider(id: string, { retries, idleMs }: { retries: number; idleMs: number }): string {
  return `[model_providers.${id}]
name = "${id}"
base_url = "${model.url}/v1"
wire_api = "responses"
request_max_retries = ${retries}
stream_max_retries = ${retries}
stream_idle_timeout_ms = ${idleMs}
`;
}

beforeAll(async () => {
  model = await openFaultyModel();
  folders = await createTempHome({
    config: `model = "mock-model"
model_provider = "mock"
${provider("mock", { retries: 0, idleMs: 150 })}
${provider("patient", { retries: 1, idleMs: 10_000 })}`,
  });
  heddle = await createHeddle({ home: folders.home, cwd: folders.workspace, env: { HOME: folders.user } });
});

afterAll(async () => {
  await heddle.close();
  await model.close();
  await folders.remove();
});

const created = responseCreated("r");
const completed = responseCompleted("r");
const added: ModelEvent = {
  type: "response.output_item.added",
  item: { type: "message", role: "assistant", id: "m", content: [] },
};
const delta = (text: string): ModelEvent => ({
  type: "response.output_text.delta",
  item_id: "m",
  delta: text,
});
const done = messageDone("m", "Hello there");
const RECORDED = encodeEvents([created, added, delta("Hello "), delta("there"), done, completed]);
const FINE = streamOf(RECORDED);

interface Ended {
  readonly status: Turn["status"];
  /** The text of the completed messages, in order. */
  readonly said: readonly string[];
}

async function openThread(modelProvider: "mock" | "patient" = "mock") {
  const client = await heddle.connect();
  const items: ThreadItem[] = [];
  const deltas: string[] = [];
  let turnId = "";
  client.on("turn/started", ({ turn }) => {
    turnId = turn.id;
  });
  client.on("item/completed", ({ item }) => items.push(item));
  client.on("item/agentMessage/delta", ({ delta: text }) => deltas.push(text));
  const { thread } = await client.thread.start({
    cwd: folders.workspace,
    approvalPolicy: "never",
    modelProvider,
  });
  const run = async (...answers: readonly ModelAnswer[]): Promise<Ended> => {
    model.answerWith(...answers);
    items.length = 0;
    const turn = await client.runTurn({ threadId: thread.id, input: [{ type: "text", text: "Go" }] });
    const said = items.flatMap((item) => (item.type === "agentMessage" ? [item.text] : []));
    return { status: turn.status, said };
  };
  const interrupt = () => client.turn.interrupt({ threadId: thread.id, turnId });
  return { run, interrupt, deltas };
}

const GOOD: Ended = { status: "completed", said: ["Hello there"] };
const FAILED: Ended = { status: "failed", said: [] };

/** The calls and outputs in the last request. */
function lastCalls(): string[] {
  const { input } = JSON.parse(model.requests.at(-1) ?? "{}") as { input: Record<string, string>[] };
  return input.flatMap(({ type, call_id: id, output }) =>
    type === "function_call" || type === "function_call_output"
      ? [[type, id, ...(output === undefined ? [] : [output])].join(" ")]
      : [],
  );
}

const wrong: readonly (readonly [string, ModelAnswer, Ended])[] = [
  ["is empty", streamOf(""), FAILED],
  ["is no stream of events", streamOf("<html>hello</html>"), FAILED],
  ["is JSON in the place of a stream", status(200, "{}", { "content-type": "application/json" }), FAILED],
  ["has no content", status(204, ""), FAILED],
  ["ends before it is complete", streamOf(encodeEvents([created, added, delta("Hel")])), FAILED],
  [
    "holds an event that is no JSON",
    streamOf(`event: response.output_text.delta\ndata: {oops\n\n${RECORDED}`),
    GOOD,
  ],
  ["holds an event that is no object", streamOf(`data: [1]\n\ndata: null\n\n${RECORDED}`), GOOD],
  [
    "holds bytes that are no text",
    streamOf(Buffer.concat([Buffer.from([0xff, 0xfe, 10, 10]), Buffer.from(RECORDED)])),
    GOOD,
  ],
  [
    "holds events of an unknown kind",
    streamOf(
      encodeEvents([{ type: "response.surprise", item: 1 }, created, added, delta("x"), done, completed]),
    ),
    GOOD,
  ],
  [
    "holds items of an unknown kind",
    streamOf(
      encodeEvents([
        { type: "response.output_item.added", item: { type: "surprise", id: "s" } },
        { type: "response.output_item.done", item: { type: "surprise", id: "s" } },
        { type: "response.output_item.done", item: { type: "message" } },
        { type: "response.output_item.done", item: null },
        done,
        completed,
      ]),
    ),
    GOOD,
  ],
  ["holds every event twice", streamOf(RECORDED.replace(/(event:.*\ndata:.*\n\n)/gu, "$1$1")), GOOD],
  [
    "begins with what comes last",
    streamOf(encodeEvents([done, delta("Hello "), added, created, completed])),
    GOOD,
  ],
  [
    "is complete before it has said anything",
    streamOf(encodeEvents([completed, done])),
    { status: "completed", said: [] },
  ],
  ["is refused", status(400, '{"error":{"message":"no"}}'), FAILED],
  ["is refused without words", status(401, ""), FAILED],
  ["is refused in HTML", status(403, "<h1>Forbidden</h1>"), FAILED],
  ["is nowhere", status(404, "nothing here"), FAILED],
  ["leads elsewhere", status(302, "", { location: "http://127.0.0.1:1/" }), FAILED],
  ["comes too often", status(429, "{}", { "retry-after": "0" }), FAILED],
  ["is an error of the server", status(500, "{}"), FAILED],
  ["is overload", status(503, "{not json"), FAILED],
  ["breaks before it begins", (response) => response.socket?.resetAndDestroy(), FAILED],
  ["breaks in the middle", brokenAfter(RECORDED.slice(0, 200)), FAILED],
  ["goes silent after its headers", silentAfter(""), FAILED],
  ["goes silent in the middle", silentAfter(RECORDED.slice(0, 200)), FAILED],
];

describe("an answer", () => {
  test.each(wrong)("that %s ends the turn, and not the thread", async (_name, answer, expected) => {
    const { run } = await openThread();
    expect(await run(answer)).toEqual(expected);
    expect(await run(FINE)).toEqual(GOOD);
  });

  test("that is cut off at any byte ends the turn, and not the thread", async () => {
    const { run } = await openThread();
    const whole = Buffer.byteLength(RECORDED);
    const cuts = Array.from({ length: 60 }, (_, index) => Math.floor((index * whole) / 60));
    for (const cut of [...cuts, whole - 1]) {
      const { status: ended } = await run(streamOf(RECORDED.slice(0, cut)));
      expect({ cut, ended }).toEqual({ cut, ended: "failed" });
    }
    expect(await run(FINE)).toEqual(GOOD);
  });

  test("that breaks is asked for again where that is allowed", async () => {
    const { run } = await openThread("patient");
    const broken = brokenAfter(RECORDED.slice(0, 200));
    expect(await run(broken, FINE)).toEqual(GOOD);
    expect(await run(broken)).toEqual(FAILED);
    expect(await run(FINE)).toEqual(GOOD);
  });

  test("that never begins can be given up", async () => {
    const { run, interrupt } = await openThread();
    expect(await run(() => void interrupt())).toEqual({ status: "interrupted", said: [] });
    expect(await run(FINE)).toEqual(GOOD);
  });

  test("of ten megabytes in one piece arrives whole", async () => {
    const { run, deltas } = await openThread("patient");
    const text = "x".repeat(10_000_000);
    const events = [created, added, delta(text), messageDone("m", text), completed];
    const ended = await run(streamOf(encodeEvents(events)));
    expect([ended.status, ended.said[0] === text, deltas.join("") === text]).toEqual([
      "completed",
      true,
      true,
    ]);
  });

  test("in a hundred thousand pieces arrives whole", async () => {
    const { run, deltas } = await openThread("patient");
    const pieces = Array.from({ length: 100_000 }, (_, index) => `${index} `);
    const text = pieces.join("");
    const events = [created, added, ...pieces.map(delta), messageDone("m", text), completed];
    const ended = await run(streamOf(encodeEvents(events)));
    expect([ended.status, ended.said[0] === text, deltas.join("") === text]).toEqual([
      "completed",
      true,
      true,
    ]);
  });
});

describe("a call", () => {
  const call = (name: string, args: string): ModelEvent => ({
    type: "response.output_item.done",
    item: { type: "function_call", call_id: "c", name, arguments: args },
  });

  test.each([
    ["whose arguments are no JSON", call("exec_command", '{"cmd": ')],
    ["whose arguments are of another kind", call("exec_command", '{"cmd": 7}')],
    ["whose arguments are missing", call("exec_command", "{}")],
    ["of a tool that nobody has", call("make_coffee", "{}")],
    ["of a session that nobody has", functionCallDone("c", "write_stdin", { session_id: 123_456 })],
  ])("%s is answered with what is wrong", async (_name, event) => {
    const { run } = await openThread();
    expect(await run(streamOf(encodeEvents([created, event, completed])), FINE)).toEqual(GOOD);
    const calls = lastCalls();
    expect(calls.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      "function_call c",
      "function_call_output c",
    ]);
    expect(await run(FINE)).toEqual(GOOD);
  });

  test("that comes twice is done once", async () => {
    const { run } = await openThread();
    const event = call("make_coffee", "{}");
    expect(await run(streamOf(encodeEvents([created, event, event, completed])), FINE)).toEqual(GOOD);
    expect(lastCalls()).toEqual(["function_call c", "function_call_output c unsupported call: make_coffee"]);
  });

  test("in an answer that breaks afterwards is not done", async () => {
    const { run } = await openThread();
    const event = functionCallDone("c", "exec_command", { cmd: "true" });
    expect(await run(brokenAfter(encodeEvents([created, event])))).toEqual(FAILED);
    expect(await run(FINE)).toEqual(GOOD);
    expect(lastCalls()).toEqual([]);
  });
});
