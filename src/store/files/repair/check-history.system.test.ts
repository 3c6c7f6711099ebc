import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { silentLogger } from "../../../base/logger.ts";
import type { LineBody } from "../../lines/line.ts";
import { agentItem, completed, started, userItem } from "../../lines/lines.fixture.ts";
import {
  fileText,
  itemLine,
  meta,
  NOW,
  ordinalsOf,
  readAll,
  THREAD,
  temporaryFolder,
} from "../rollout/rollout.fixture.ts";
import { rolloutPath } from "../rollout/rollout-name.ts";
import { createMemoryIndex } from "../sqlite/memory-index.fixture.ts";
import { FileLeases } from "../threads/file-leases.ts";
import { openFileThreads } from "../threads/file-thread-store.ts";
import { type CheckOptions, checkHistory } from "./check-history.ts";

const OTHER = "01a1de85-c6e8-7cd1-a911-000000000001";
const TURN: readonly LineBody[] = [
  started("t1"),
  itemLine("t1", userItem("u1", "hello")),
  itemLine("t1", agentItem("a1", "hi")),
  completed("t1", "hi"),
];

function optionsFor(home: string, repair: boolean): CheckOptions {
  return {
    home,
    index: createMemoryIndex(),
    clock: systemClock,
    log: silentLogger,
    createId: () => OTHER,
    repair,
    restMs: 0,
  };
}

function put(home: string, text: string, threadId = THREAD): string {
  const path = rolloutPath(home, { threadId, createdAtMs: NOW });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const namesBeside = (path: string) => readdirSync(dirname(path)).map((name) => name.replace(/bak-.*/, "bak"));

async function kindsFound(home: string, repair: boolean): Promise<string[]> {
  const { faults } = await checkHistory(optionsFor(home, repair));
  return faults.map(
    ({ kind, state, lineNumber }) => `${kind}${lineNumber === null ? "" : ` ${lineNumber}`} ${state.kind}`,
  );
}

/** Checks, repairs, and checks again. */
async function threeLooks(home: string): Promise<string[][]> {
  return [await kindsFound(home, false), await kindsFound(home, true), await kindsFound(home, false)];
}

describe("a history", () => {
  test("without faults has none, and is left as it is", async () => {
    const home = temporaryFolder();
    const path = put(home, fileText([meta(), ...TURN]));
    const before = readFileSync(path);
    expect(await threeLooks(home)).toEqual([[], [], []]);
    expect(readFileSync(path)).toEqual(before);
  });

  test("with a torn last line loses that line alone, and the old file is kept", async () => {
    const home = temporaryFolder();
    const whole = fileText([meta(), ...TURN]);
    const path = put(home, `${whole}{"timestamp":"20`);
    expect(await threeLooks(home)).toEqual([["tornLine 6 found"], ["tornLine 6 mended"], []]);
    expect(readFileSync(path, "utf8")).toBe(whole);
    expect(namesBeside(path)).toEqual([basename(path), `${basename(path)}.bak`]);
    const kept = readdirSync(dirname(path)).find((name) => name.includes(".bak-")) ?? "";
    expect(readFileSync(join(dirname(path), kept), "utf8")).toBe(`${whole}{"timestamp":"20`);
  });

  test("with a bad line in the middle is numbered anew behind it", async () => {
    const home = temporaryFolder();
    const lines = fileText([meta(), ...TURN]).split("\n");
    const path = put(home, [...lines.slice(0, 2), "\u0000\u0000\u0000", ...lines.slice(3)].join("\n"));
    expect(await threeLooks(home)).toEqual([["badLine 3 found"], ["badLine 3 mended"], []]);
    expect(await ordinalsOf(path)).toEqual([0, 1, 2, 3]);
  });

  test("with wrong ordinals is numbered anew, and numbers of any size in it stay", async () => {
    const home = temporaryFolder();
    const huge = '"big":12345678901234567890';
    const [first = "", ...rest] = fileText([meta(), ...TURN]).split("\n");
    const moved = rest.map((line) =>
      line.replace(/"ordinal":(\d+)/, (_, ordinal) => `"ordinal":${Number(ordinal) + 7},${huge}`),
    );
    const path = put(home, [first, ...moved].join("\n"));
    expect(await threeLooks(home)).toEqual([["wrongOrdinal 2 found"], ["wrongOrdinal 2 mended"], []]);
    expect(await ordinalsOf(path)).toEqual([0, 1, 2, 3, 4]);
    expect(readFileSync(path, "utf8").split(huge)).toHaveLength(5);
  });

  test("with a byte order mark, another id and no last newline is mended in one go", async () => {
    const home = temporaryFolder();
    const path = put(home, `\uFEFF${fileText([meta({ threadId: OTHER }), ...TURN]).trimEnd()}`);
    expect(await threeLooks(home)).toEqual([
      ["byteOrderMark 1 found", "wrongId 1 found", "missingNewline 5 found"],
      ["byteOrderMark 1 mended", "wrongId 1 mended", "missingNewline 5 mended"],
      [],
    ]);
    const [{ line } = { line: null }] = await readAll(path);
    expect(line?.payload).toMatchObject({ id: THREAD, session_id: THREAD });
  });

  test("of the old kind, without ordinals, is mended as well", async () => {
    const home = temporaryFolder();
    const whole = fileText([meta({ historyMode: "legacy" }), ...TURN], { legacy: true });
    const path = put(home, `nonsense\n${whole}`);
    expect(await threeLooks(home)).toEqual([["badLine 1 found"], ["badLine 1 mended"], []]);
    expect(readFileSync(path, "utf8")).toBe(whole);
  });
});

describe("files that others go on from", () => {
  function forkAt(text: string, lines: number) {
    const head = text.split("\n").slice(0, lines).join("\n");
    return { thread_id: THREAD, end_ordinal_exclusive: lines, end_byte_offset: Buffer.byteLength(head) + 1 };
  }

  test("keep every line at its place", async () => {
    const home = temporaryFolder();
    const whole = fileText([meta(), ...TURN]);
    const lines = whole.split("\n");
    const spoilt = [...lines.slice(0, 2), "#".repeat(lines[2]?.length ?? 0), ...lines.slice(3)].join("\n");
    const path = put(home, `${spoilt}{"torn`);
    const historyBase = forkAt(whole, 5);
    put(
      home,
      fileText([meta({ threadId: OTHER, forkedFromId: THREAD, historyBase })], { firstOrdinal: 5 }),
      OTHER,
    );
    expect(await threeLooks(home)).toEqual([
      ["badLine 3 found", "tornLine 6 found"],
      ["badLine 3 mended", "tornLine 6 mended"],
      [],
    ]);
    expect(readFileSync(path).byteLength).toBe(Buffer.byteLength(whole));
    expect(readFileSync(path).subarray(0, historyBase.end_byte_offset).toString().split("\n")[4]).toBe(
      lines[4],
    );
    expect(await ordinalsOf(path)).toEqual([0, 1, 2, 3, 4]);
  });

  test("are left alone when their lines would have to move", async () => {
    const home = temporaryFolder();
    const whole = fileText([meta(), ...TURN]);
    const [first = "", second = "", ...rest] = whole.split("\n");
    const path = put(home, [first, second.slice(0, 20), ...rest].join("\n"));
    const before = readFileSync(path, "utf8");
    const historyBase = forkAt(before, 5);
    put(
      home,
      fileText([meta({ threadId: OTHER, forkedFromId: THREAD, historyBase })], { firstOrdinal: 5 }),
      OTHER,
    );
    expect(await kindsFound(home, true)).toEqual(["badLine 2 left"]);
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(namesBeside(path)).toHaveLength(2);
  });

  test("and are gone leave files that stand alone", async () => {
    const home = temporaryFolder();
    const historyBase = { thread_id: OTHER, end_ordinal_exclusive: 40, end_byte_offset: 900 };
    const path = put(
      home,
      fileText([meta({ forkedFromId: OTHER, historyBase }), ...TURN], { firstOrdinal: 40 }),
    );
    expect(await threeLooks(home)).toEqual([["missingBase found"], ["missingBase mended"], []]);
    expect(await ordinalsOf(path)).toEqual([0, 1, 2, 3, 4]);
    const options = optionsFor(home, false);
    const leases = new FileLeases({ ...options, table: options.index });
    const history = openFileThreads({ ...options, leases });
    const turns = await history.turns(THREAD);
    expect(turns.kind === "page" && turns.data.map(({ items }) => items.length)).toEqual([2]);
    await history.close();
  });
});

test("a file between one that is gone and one that goes on from it is left alone", async () => {
  const home = temporaryFolder();
  const gone = { thread_id: "gone", end_ordinal_exclusive: 40, end_byte_offset: 900 };
  const text = fileText([meta({ forkedFromId: "gone", historyBase: gone }), ...TURN], { firstOrdinal: 40 });
  const path = put(home, text);
  const base = { thread_id: THREAD, end_ordinal_exclusive: 45, end_byte_offset: Buffer.byteLength(text) };
  put(home, fileText([meta({ threadId: OTHER, historyBase: base })], { firstOrdinal: 45 }), OTHER);
  expect(await kindsFound(home, true)).toEqual(["missingBase left"]);
  expect(readFileSync(path, "utf8")).toBe(text);
});

describe("files in the wrong place", () => {
  test("of two with one id, the longer stays and the other is moved aside", async () => {
    const home = temporaryFolder();
    const path = put(home, fileText([meta(), ...TURN]));
    const archived = join(home, "archived_sessions", basename(path));
    mkdirSync(dirname(archived));
    writeFileSync(archived, fileText([meta()]));
    expect(await threeLooks(home)).toEqual([["duplicate found"], ["duplicate mended"], []]);
    expect(namesBeside(path)).toEqual([basename(path)]);
    expect(namesBeside(archived)).toEqual([`${basename(path)}.bak`]);
  });

  test("empty ones are moved aside", async () => {
    const home = temporaryFolder();
    const path = put(home, "");
    expect(await threeLooks(home)).toEqual([["empty found"], ["empty mended"], []]);
    expect(namesBeside(path)).toEqual([`${basename(path)}.bak`]);
  });

  test("a rollout under another name gets its own again, and what is no rollout is only named", async () => {
    const home = temporaryFolder();
    const folder = join(home, "sessions");
    mkdirSync(folder);
    writeFileSync(join(folder, "copy.jsonl"), fileText([meta(), ...TURN]));
    writeFileSync(join(folder, "notes.jsonl"), "notes\n");
    writeFileSync(join(folder, "notes.txt"), "notes\n");
    expect(await threeLooks(home)).toEqual([
      ["misnamed found", "misnamed found"],
      ["misnamed mended", "misnamed left"],
      ["misnamed found"],
    ]);
    expect(await ordinalsOf(rolloutPath(home, { threadId: THREAD, createdAtMs: NOW }))).toEqual([
      0, 1, 2, 3, 4,
    ]);
    expect(readdirSync(folder).sort()).toEqual(["2026", "notes.jsonl", "notes.txt"]);
  });

  test("what an interrupted run left behind is removed", async () => {
    const home = temporaryFolder();
    const path = put(home, fileText([meta()]));
    writeFileSync(`${path}.heddle-repair`, "half");
    expect(await threeLooks(home)).toEqual([["leftover found"], ["leftover mended"], []]);
  });

  test("a file of which nothing can be read is never touched", async () => {
    const home = temporaryFolder();
    const path = put(home, "\u0001\u0002\n");
    expect(await threeLooks(home)).toEqual([["unreadable found"], ["unreadable left"], ["unreadable found"]]);
    expect(namesBeside(path)).toEqual([basename(path)]);
  });
});

describe("a thread in use", () => {
  test("by another server is named and left alone", async () => {
    const home = temporaryFolder();
    const path = put(home, `${fileText([meta()])}{"half`);
    const options = optionsFor(home, true);
    await options.index.acquireLease({ threadId: THREAD, owner: "1@elsewhere#1" });
    const states = [];
    for (const repair of [false, true]) {
      const { faults } = await checkHistory({ ...options, repair });
      states.push(faults.map(({ state }) => state));
    }
    expect(states).toEqual([
      [{ kind: "left", why: "the thread is in use" }],
      [{ kind: "left", why: "the thread is in use: process 1@elsewhere writes to it" }],
    ]);
    expect(namesBeside(path)).toEqual([basename(path)]);
  });

  test("by a program that goes on writing is left alone", async () => {
    const home = temporaryFolder();
    const path = put(home, `${fileText([meta()])}{"half`);
    const writing = setInterval(() => appendFileSync(path, "."), 10);
    onTestFinished(() => clearInterval(writing));
    const { faults } = await checkHistory({ ...optionsFor(home, true), restMs: 1000 });
    expect(faults.map(({ state }) => state)).toEqual([
      { kind: "left", why: "the file is in use: it is being written to" },
    ]);
  });

  test("a moment ago, and at rest since, is mended", async () => {
    const home = temporaryFolder();
    put(home, `${fileText([meta()])}{"half`);
    const { faults } = await checkHistory({ ...optionsFor(home, true), restMs: 200 });
    expect(faults.map(({ state }) => state.kind)).toEqual(["mended"]);
  });
});

test("the index is brought up to date, and forgets what is gone", async () => {
  const home = temporaryFolder();
  put(home, fileText([meta(), ...TURN]));
  const options = optionsFor(home, true);
  const gaps = [];
  for (const repair of [false, true, false]) gaps.push((await checkHistory({ ...options, repair })).gap);
  expect(gaps).toEqual([
    { missing: 1, outdated: 0, gone: 0 },
    { missing: 1, outdated: 0, gone: 0 },
    { missing: 0, outdated: 0, gone: 0 },
  ]);
  const page = await options.index.list({
    order: "created_at",
    direction: "desc",
    from: null,
    limit: 5,
    archived: false,
  });
  expect(page.map(({ row }) => row.threadId)).toEqual([THREAD]);
});
