import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { foldAll, turnsOf } from "../../lines/projection.fixture.ts";
import { findThreadRollout } from "../rollout/find-rollouts.ts";
import { openReader, temporaryFolder } from "../rollout/rollout.fixture.ts";
import { type ImportOptions, importTranscript } from "./import-transcript.ts";
import { findTranscripts } from "./scan-transcript.ts";
import { currentSession, jsonl, SESSION, transcript } from "./transcript.fixture.ts";

function stage(entries: readonly unknown[], name = `${SESSION}.jsonl`) {
  const folder = temporaryFolder();
  const path = join(folder, name);
  const home = join(folder, "home");
  writeFileSync(path, jsonl(entries));
  const skipped: string[] = [];
  const options: ImportOptions = {
    home,
    modelProvider: "mock",
    cwd: "/fallback",
    project: null,
    sinceMs: null,
    dryRun: false,
    onSkip: (reason, _path, lineNumber) => skipped.push(`${lineNumber} ${reason}`),
  };
  const run = (members: Partial<ImportOptions> = {}) => importTranscript(path, { ...options, ...members });
  return { path, home, skipped, run };
}

async function read(home: string, threadId: string) {
  const found = await findThreadRollout(home, threadId);
  if (found === null) throw new Error("no file");
  const projection = await foldAll((await openReader(found.path)).lines());
  const texts = turnsOf(projection, { live: false }).map(({ firstUserItem, finalAgentItem }) => [
    firstUserItem?.type === "userMessage" && "text" in (firstUserItem.content[0] ?? {})
      ? (firstUserItem.content[0] as { text: string }).text
      : null,
    finalAgentItem?.type === "agentMessage" ? finalAgentItem.text : null,
  ]);
  return { path: found.path, facts: projection.state.facts, texts };
}

async function threadOf({ home, run }: ReturnType<typeof stage>) {
  const outcome = await run();
  if (outcome.kind !== "imported") throw new Error(JSON.stringify(outcome));
  return { outcome, ...(await read(home, outcome.threadId)) };
}

test("a thread says where it came from, and has the times of its session", async () => {
  const { outcome, facts, path } = await threadOf(stage(currentSession()));
  expect(outcome).toMatchObject({ title: "Listing of files", cwd: "/repo", turns: 2, items: 9 });
  expect(facts).toMatchObject({
    id: outcome.threadId,
    source: "cli",
    threadSource: "claude-code",
    originator: "claude-code",
    cliVersion: "2.1.12",
    gitInfo: { branch: "main" },
    modelProvider: "mock",
    model: null,
    preview: "List the files",
    createdAtMs: Date.UTC(2026, 2, 4, 10, 0, 1),
    updatedAtMs: Date.UTC(2026, 2, 4, 10, 0, 13),
  });
  expect(statSync(path).mtimeMs).toBe(facts.updatedAtMs);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(path))).toHaveLength(1);
});

test("importing again adds nothing, whatever the name of the file, and tells of what was said since", async () => {
  const { path, home, run } = stage(currentSession());
  const first = await run();
  const names = readFileSync(join(home, "session_index.jsonl"), "utf8");
  expect(await run()).toEqual({
    kind: "known",
    threadId: (first as { threadId: string }).threadId,
    hasGrown: false,
  });
  writeFileSync(path, `${readFileSync(path, "utf8")}${jsonl([transcript().user("More")])}`);
  expect(await run()).toMatchObject({ kind: "known", hasGrown: true });
  expect(readFileSync(join(home, "session_index.jsonl"), "utf8")).toBe(names);
  const copy = stage(currentSession(), "copy.jsonl");
  expect(await copy.run()).toMatchObject({
    kind: "imported",
    threadId: (first as { threadId: string }).threadId,
  });
});

test("nothing is written in a dry run, and nothing at all to the transcript", async () => {
  const { path, home, run } = stage(currentSession());
  const before = readFileSync(path, "utf8");
  chmodSync(path, 0o400);
  expect((await run({ dryRun: true })).kind).toBe("imported");
  expect(existsSync(home)).toBe(false);
  expect((await run()).kind).toBe("imported");
  expect(readFileSync(path, "utf8")).toBe(before);
});

describe("entries that are no part of the conversation", () => {
  test("a message that was taken back goes with its answer", async () => {
    const t = transcript();
    const staged = stage([
      t.user("Hello"),
      t.assistant([{ type: "text", text: "Hi" }]),
      t.user("Frist try"),
      t.assistant([{ type: "text", text: "Of what?" }]),
      t.entry("system", { subtype: "turn_duration" }),
      t.user("Of nothing"),
      t.user("First try", { parentUuid: "entry-2" }),
      t.assistant([{ type: "text", text: "Good" }]),
    ]);
    const { texts } = await threadOf(staged);
    expect(texts).toEqual([
      ["Hello", "Hi"],
      ["First try", "Good"],
    ]);
    expect(staged.skipped).toEqual([
      "3 abandoned by the user",
      "4 abandoned by the user",
      "5 bookkeeping entry",
      "6 abandoned by the user",
    ]);
  });

  test("results of calls made at once have one parent and are all kept", async () => {
    const t = transcript();
    const staged = stage([
      t.user("Both"),
      t.assistant([t.use("toolu_1", "Read", {}), t.use("toolu_2", "Read", {})]),
      t.user([t.result("toolu_1", "1")], { parentUuid: "entry-2" }),
      t.user([t.result("toolu_2", "2")], { parentUuid: "entry-2" }),
    ]);
    expect((await threadOf(staged)).outcome).toMatchObject({ turns: 1, items: 3 });
    expect(staged.skipped).toEqual([]);
  });

  test("sub-agents, repetitions, bookkeeping and bad lines are counted with their places", async () => {
    const t = transcript();
    const first = t.user("Hello");
    const staged = stage([
      first,
      t.assistant([{ type: "text", text: "aside" }], { isSidechain: true }),
      first,
      { type: "progress", uuid: "p" },
      ["no entry"],
      t.assistant([{ type: "text", text: "Hi" }]),
    ]);
    const { texts } = await threadOf(staged);
    expect(texts).toEqual([["Hello", "Hi"]]);
    expect(staged.skipped).toEqual([
      "2 message of a sub-agent",
      "3 duplicate",
      "4 bookkeeping entry",
      "5 bad line: not an object",
    ]);
  });
});

test("a session is named by its user, else by the program, else by a summary of its own", async () => {
  const t = transcript();
  const summary = { type: "summary", summary: "Greeting", leafUuid: "entry-1" };
  const foreign = { type: "summary", summary: "Something else", leafUuid: "elsewhere" };
  const entries: unknown[] = [foreign, summary, t.user("Hello")];
  const titles = [];
  for (const more of [
    {},
    { type: "ai-title", aiTitle: "A greeting" },
    { type: "custom-title", customTitle: "Mine" },
  ]) {
    entries.push(more);
    titles.push((await threadOf(stage(entries))).outcome.title);
  }
  expect(titles).toEqual(["Greeting", "A greeting", "Mine"]);
  const behind = await threadOf(stage([transcript().user("Hello"), summary, foreign]));
  expect(behind.outcome.title).toBe("Greeting");
});

test("a session without a title is named by its first message that counts", async () => {
  const titleOf = async (...texts: string[]) => {
    const t = transcript();
    return (await threadOf(stage(texts.map((text) => t.user(text))))).outcome.title;
  };
  expect(await titleOf("  Fix the\n\ttests ", "Other")).toBe("Fix the tests");
  expect(await titleOf("<command-name>/clear</command-name>", "Real")).toBe("Real");
  expect(await titleOf("x".repeat(1_000_000))).toBe(`${"x".repeat(80)}…`);
  const t = transcript();
  const again = [t.user("First try", { parentUuid: "root" }), t.user("Second try", { parentUuid: "root" })];
  expect((await threadOf(stage(again))).outcome.title).toBe("Second try");
});

describe("a transcript is left out", () => {
  test.each([
    ["when it is empty", [], {}, "empty"],
    ["when nobody says anything in it", [{ type: "summary", summary: "x" }], {}, "contains no conversation"],
    [
      "when only local commands are in it",
      [transcript().user("<local-command-stdout>x")],
      {},
      "contains no conversation",
    ],
    [
      "when its folder is not asked for",
      [transcript().user("x")],
      { project: "/rep" },
      "belongs to another project",
    ],
    [
      "when it ended before",
      [transcript().user("x")],
      { sinceMs: Date.UTC(2026, 2, 5) },
      "older than --since",
    ],
  ])("%s", async (_, entries, members, reason) => {
    const { home, run } = stage(entries);
    expect(await run(members)).toEqual({ kind: "leftOut", reason });
    expect(existsSync(join(home, "session_index.jsonl"))).toBe(false);
  });
});

test("a home that cannot be written to fails the import in words", async () => {
  const { home, run } = stage(currentSession());
  writeFileSync(home, "a file in the way");
  expect(await run()).toEqual({ kind: "failed", message: expect.stringContaining("Not a directory") });
});

test("transcripts are found in folders of any depth, without those of sub-agents", async () => {
  const { path } = stage(currentSession());
  const folder = dirname(path);
  writeFileSync(join(folder, "agent-12.jsonl"), "");
  writeFileSync(join(folder, "notes.txt"), "");
  const { files, leftOut } = await findTranscripts([folder, path, join(folder, "missing")]);
  expect([files.map((file) => file.path), leftOut]).toEqual([
    [path],
    [
      { path: join(folder, "agent-12.jsonl"), reason: "transcript of a sub-agent" },
      { path: join(folder, "missing"), reason: "cannot be read: No such file or directory (os error 2)" },
    ],
  ]);
});
