/** Imports transcripts of another program as threads, for Heddle and for the real peer. */
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { createUuidSource } from "../../src/base/uuid.ts";
import type { ThreadItem, Turn } from "../../src/protocol/generated/types.ts";
import {
  currentSession,
  jsonl,
  SESSION,
  transcript,
} from "../../src/store/files/import/transcript.fixture.ts";
import { openFileStore } from "../../src/store/files/open-file-store.ts";
import type { ThreadStore } from "../../src/store/thread-store.ts";
import { ensurePeer, PEER_VERSION } from "../conformance/peer.ts";
import { Child } from "../support/child.ts";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply } from "../support/model-events.ts";
import { openScriptedModel, type ScriptedModel } from "../support/scripted-model.ts";
import { HEDDLE, type Program, serverEnvironment, startServer } from "../support/start-server.ts";
import { strictLogger } from "../support/strict-logger.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const CACHE = join(process.cwd(), ".cache");
const isHere = existsSync(join(CACHE, "peer", PEER_VERSION, "node_modules"));
const reason = isHere ? "" : " [needs the peer: run npm run conformance once]";
const FOLDER = "user/.claude/projects/-repo";
const THREAD = "019cb84a-44e8-7e23-8d0b-fbe28b04f662";

interface Report {
  readonly imported: readonly { readonly threadId: string; readonly turns: number; readonly items: number }[];
  readonly alreadyImported: number;
  readonly grown: readonly unknown[];
  readonly skippedFiles: readonly unknown[];
  readonly skippedLines: readonly unknown[];
}

async function openHome(config = ""): Promise<TempHome> {
  const home = await createTempHome({ config });
  onTestFinished(() => home.remove());
  return home;
}

async function runImport(home: TempHome, ...args: readonly string[]) {
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, "import", ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  const { code } = await child.exit;
  return { code, stdout: child.stdout, stderr: child.stderr };
}

async function report(home: TempHome, ...args: readonly string[]): Promise<Report> {
  const { code, stdout, stderr } = await runImport(home, "--json", ...args);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Report;
}

async function withHistory<T>(home: TempHome, work: (history: ThreadStore) => Promise<T>): Promise<T> {
  const createId = createUuidSource(systemClock);
  const store = openFileStore({ home: home.home, clock: systemClock, log: strictLogger, createId });
  try {
    return await work(store.threads);
  } finally {
    await store.close();
  }
}

const KINDS = [
  [
    "userMessage",
    "reasoning",
    "agentMessage",
    "commandExecution",
    "fileChange",
    "mcpToolCall",
    "agentMessage",
  ],
  ["userMessage", "dynamicToolCall"],
];

function kinds(turns: readonly Turn[]): string[][] {
  return turns.map(({ items }) => items.map((item: ThreadItem) => item.type));
}

describe("heddle import", () => {
  test("makes a thread of a session, once, and says what it left out", async () => {
    const home = await openHome();
    const text = `${jsonl(currentSession())}{"torn`;
    await home.write(`${FOLDER}/${SESSION}.jsonl`, text);
    await home.write(`${FOLDER}/agent-1.jsonl`, jsonl(currentSession()));
    await home.write(`${FOLDER}/empty.jsonl`, "");
    const file = join(home.root, FOLDER, `${SESSION}.jsonl`);
    const dry = await report(home, "--dry-run");
    expect(dry.imported).toMatchObject([{ threadId: THREAD, turns: 2, items: 9 }]);
    expect(existsSync(join(home.home, "sessions"))).toBe(false);
    const first = await report(home);
    expect(first).toMatchObject({
      imported: [{ threadId: THREAD, title: "Listing of files", cwd: "/repo" }],
      skippedFiles: [
        { reason: "transcript of a sub-agent", count: 1 },
        { reason: "empty", count: 1 },
      ],
      skippedLines: [
        { reason: "bookkeeping entry", count: 2, first: `${file}:1` },
        { reason: "bad line: cut off", count: 1, first: `${file}:17` },
      ],
    });
    expect(await report(home)).toMatchObject({ imported: [], alreadyImported: 1, grown: [] });
    expect(await readFile(file, "utf8")).toBe(text);
    await home.write(`${FOLDER}/${SESSION}.jsonl`, `${text}\n${jsonl([transcript().user("More")])}`);
    expect(await report(home)).toMatchObject({ imported: [], grown: [{ path: file, threadId: THREAD }] });
  });

  test("takes only what is asked for", async () => {
    const home = await openHome();
    await home.write("elsewhere/one.jsonl", jsonl([transcript().user("One")]));
    const from = ["--from", join(home.root, "elsewhere")];
    expect(await report(home, ...from, "--project", "/other")).toMatchObject({
      imported: [],
      skippedFiles: [{ reason: "belongs to another project" }],
    });
    expect(await report(home, ...from, "--since", "2026-03-05")).toMatchObject({
      imported: [],
      skippedFiles: [{ reason: "older than --since" }],
    });
    const all = await report(home, "--from", join(home.root, "elsewhere/one.jsonl"), "--project", "/repo");
    expect(all.imported).toHaveLength(1);
  });

  test("a folder that is not there is named, and an impossible time refused", async () => {
    const home = await openHome();
    const missing = await runImport(home);
    expect([missing.code, missing.stdout]).toEqual([1, expect.stringContaining("No such file or directory")]);
    const wrong = await runImport(home, "--since", "yesterday");
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("not a day and not a span of time"),
    ]);
  });

  test("what was imported is listed, read and can be gone on with", async () => {
    const home = await openHome();
    await home.write(`${FOLDER}/${SESSION}.jsonl`, jsonl(currentSession()));
    await report(home);
    await withHistory(home, async (history) => {
      const page = await history.list({ archived: false });
      if (page.kind === "refused") throw new Error(page.message);
      expect(
        page.data.map(({ threadId, facts, details }) => [threadId, details.name, facts.preview]),
      ).toEqual([[THREAD, "Listing of files", "List the files"]]);
      const [entry] = page.data;
      expect(entry?.facts).toMatchObject({ source: "cli", threadSource: "claude-code", cwd: "/repo" });
      const turns = await history.turns(THREAD, { direction: "asc", itemsView: "full" });
      if (turns.kind === "refused") throw new Error(turns.message);
      expect(kinds(turns.data)).toEqual(KINDS);
      expect(turns.data.map(({ status }) => status)).toEqual(["completed", "interrupted"]);
      const opened = await history.open(THREAD);
      expect(opened.kind === "open" && (await opened.model()).items).toHaveLength(12);
    });
  });
});

/** Lists, reads, resumes and continues the imported thread; returns the calls that the model received. */
async function continueThread(home: TempHome, model: ScriptedModel, program: Program) {
  const server = await startServer({ home, program });
  onTestFinished(() => server.stop().then(() => {}));
  const client = await server.connect();
  const clientInfo = { name: "test", title: null, version: "1" };
  await client.result("initialize", { clientInfo, capabilities: { experimentalApi: true } });
  const list = (await client.result("thread/list", {})) as { data: { id: string; preview: string }[] };
  const resumed = (await client.result("thread/resume", { threadId: THREAD, excludeTurns: true })) as {
    thread: { threadSource: string };
  };
  const turns = (await client.result("thread/turns/list", {
    threadId: THREAD,
    sortDirection: "asc",
    itemsView: "full",
  })) as { data: Turn[] };
  const input = [{ type: "text", text: "Go on", text_elements: [] }];
  await client.result("turn/start", { threadId: THREAD, input });
  await client.next({ method: "turn/completed", params: { threadId: THREAD } });
  const sent = model.requests.at(-1)?.body as { input: { type: string; call_id?: string }[] };
  const calls = (type: string) => sent.input.flatMap((item) => (item.type === type ? [item.call_id] : []));
  return {
    listed: list.data.map(({ id, preview }) => [id, preview]),
    threadSource: resumed.thread.threadSource,
    kinds: kinds(turns.data),
    calls: calls("function_call"),
    outputs: calls("function_call_output"),
  };
}

const CALLS = ["toolu_1", "toolu_2", "toolu_3", "toolu_4"];
const WENT_ON = {
  listed: [[THREAD, "List the files"]],
  threadSource: "claude-code",
  kinds: KINDS,
  calls: CALLS,
  outputs: CALLS,
};

async function openModel(): Promise<ScriptedModel> {
  const model = await openScriptedModel([messageReply("Answer", { id: "1" })]);
  onTestFinished(() => model.close());
  return model;
}

const sessionIn = (cwd: string) => jsonl(currentSession().map((line) => ({ ...line, cwd })));

test("a server lists, reads and goes on with an imported thread, and its model is told of the calls", async () => {
  const model = await openModel();
  const home = await openHome(modelConfig(model.url));
  await home.write(`${FOLDER}/${SESSION}.jsonl`, sessionIn(home.workspace));
  await report(home);
  expect(await continueThread(home, model, HEDDLE)).toEqual(WENT_ON);
});

describe.skipIf(!isHere)(`imported threads and the peer${reason}`, () => {
  test("the peer does the same", { timeout: 120_000 }, async () => {
    const { program } = await ensurePeer(CACHE, () => {});
    const folder = await makeHomesFolder();
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 12, retryDelay: 100 }));
    const model = await openModel();
    const home = await createTempHome({ under: folder, config: modelConfig(model.url) });
    await home.write(`${FOLDER}/${SESSION}.jsonl`, sessionIn(home.workspace));
    await report(home);
    expect(await continueThread(home, model, program)).toEqual(WENT_ON);
  });
});
