/** `heddle threads` and `heddle resume` on a home, with and without a running server. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type Called, callHeddle, callInShell, callOnTerminal, type Typed } from "../support/call-heddle.ts";
import { testWith } from "../support/needs-program.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { startServer } from "../support/start-server.ts";
import { idAt, putRollout } from "../support/stored-rollouts.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

let home: TempHome;
beforeEach(async () => {
  home = await createTempHome();
  onTestFinished(() => home.remove());
});

const threads = (...args: string[]): Promise<Called> => callHeddle(home, ["threads", ...args]);

async function runThreads(...args: string[]) {
  const { code, stdout, stderr } = await threads(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

const idsOf = ({ data }: { data: { id: string }[] }): string[] => data.map(({ id }) => id);

async function serve() {
  const server = await startServer({ home });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await server.stop();
    isStopped = true;
  };
  onTestFinished(stop);
  const client = await server.connect();
  const capabilities = { experimentalApi: true };
  await client.result("initialize", { clientInfo: { name: "threads", version: "1" }, capabilities });
  return { client, stop };
}

async function addThread(client: RpcClient, text = "Hello", cwd = home.workspace): Promise<string> {
  const { thread } = (await client.result("thread/start", { cwd })) as { thread: { id: string } };
  await addTurn(client, thread.id, text);
  return thread.id;
}

async function addTurn(client: RpcClient, threadId: string, text: string): Promise<void> {
  await client.result("turn/start", { threadId, input: [{ type: "text", text }] });
  await client.next({ method: "turn/completed", params: { threadId } });
}

/** Creates threads that no server has loaded. */
async function makeThreads(...texts: readonly string[]): Promise<string[]> {
  const { client, stop } = await serve();
  const ids: string[] = [];
  for (const text of texts) ids.push(await addThread(client, text));
  await stop();
  return ids;
}

const NASTY = "\u001b[2J\u0007name\u202e\n";

test("threads are listed, the newest first, by pages and by folder", async () => {
  const { client, stop } = await serve();
  const ids = [await addThread(client, "one"), await addThread(client, "two", home.user)];
  await stop();
  expect(idsOf(await runThreads("list"))).toEqual(ids.toReversed());
  const first = await runThreads("list", "--limit", "1");
  expect(idsOf(first)).toEqual(ids.slice(1));
  expect(idsOf(await runThreads("list", "--limit", "1", "--cursor", first.nextCursor))).toEqual(
    ids.slice(0, 1),
  );
  expect(idsOf(await runThreads("list", "--cwd", "."))).toEqual(ids.slice(0, 1));
  expect(idsOf(await runThreads("list", "--archived"))).toEqual([]);
  expect((await runThreads("search", "tw")).data).toMatchObject([
    { id: ids[1], snippet: expect.stringContaining("two") },
  ]);
});

testWith("script", "on a terminal there is a table that no name controls", async () => {
  const { client, stop } = await serve();
  const id = await addThread(client);
  await client.result("thread/name/set", { threadId: id, name: NASTY });
  await stop();
  for (const args of [["list"], ["search", "Hello"], ["show", id], ["export", id, "--format", "markdown"]]) {
    const { code, stdout } = await callOnTerminal(home, ["threads", ...args]);
    expect(code).toBe(0);
    expect(stdout).toContain(id);
    for (const part of [NASTY.trimEnd(), "\u001b[2J", "\u0007", "\u202e"]) expect(stdout).not.toContain(part);
  }
});

test("a thread shows what hooks said, what is asked, when, and how many tokens it took", async () => {
  const hook = { hooks: [{ type: "command", command: "echo remember the tests" }] };
  await home.write("home/hooks.json", JSON.stringify({ hooks: { UserPromptSubmit: [hook] } }));
  expect((await callHeddle(home, ["hooks", "trust", "--yes"])).code).toBe(0);
  const { client } = await serve();
  const id = await addThread(client);
  const asking = { approvalPolicy: "untrusted", input: [{ type: "text", text: "run touch made.txt" }] };
  await client.result("turn/start", { threadId: id, ...asking });
  const asked = await client.next({ method: "item/commandExecution/requestApproval" });

  const { turns, tokenUsageByTurn, openQuestions } = await runThreads("show", id);
  expect(tokenUsageByTurn[turns[0].id].totalTokens).toBeGreaterThan(0);
  expect(openQuestions).toMatchObject([{ turnId: turns[1].id, subject: { kind: "command" } }]);
  const { stdout } = await threads("export", id, "--format", "markdown");
  expect(stdout).toMatch(/^- Tokens: `[\d,]+ tokens \([\d,]+ in, [\d,]+ out\)`$/mu);
  expect(stdout).toMatch(
    /^Hook `userPromptSubmit` of `\S+hooks\.json` \(completed, .+\)\n\n> context: remember the tests$/mu,
  );
  expect(stdout).toMatch(/^\*\d{4}-\S+Z, [\d.]+ m?s, [\d,]+ tokens \([\d,]+ in, [\d,]+ out\)\*$/mu);
  expect(stdout).toMatch(/^\*\*Open question\*\* since \S+Z: may it run `.*touch made\.txt.*`\?$/mu);
  expect(stdout).toMatch(/^\*\d{4}-\S+Z, not ended\*$/mu);

  client.answer(asked["id"] as number, { decision: "decline" });
  await client.next({ method: "turn/completed", params: { turn: { id: turns[1].id } } });
  const last = await runThreads("show", id, "--limit", "1");
  expect([Object.keys(last.tokenUsageByTurn), last.openQuestions]).toEqual([[turns[1].id], []]);
});

describe("a thread is named", () => {
  test("by its id, its name or the beginning of its id", async () => {
    const { client, stop } = await serve();
    const [one, two] = [await addThread(client), await addThread(client)];
    await client.result("thread/name/set", { threadId: one, name: "mine" });
    await stop();
    for (const word of [one, one.toUpperCase(), "mine", one.slice(0, -1)])
      expect((await runThreads("show", word)).thread.id).toBe(one);
    const both = await threads("show", one.slice(0, 6));
    expect(both).toMatchObject({ code: 1, stdout: "" });
    expect(both.stderr).toContain("2 threads have ids that begin with");
    expect(both.stderr).toContain(two);
  });

  test.each([
    "",
    "../../etc/passwd",
    "019",
    "-",
    "00000000-0000-7000-8000-000000000000",
    "%",
    "x".repeat(100_000),
  ])("and not by %j", async (word) => {
    const refused = await threads("show", "--", word);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^Error: there is no thread /u);
  });
});

test("threads of other programs are found among many, and shown", async () => {
  const ids = Array.from({ length: 250 }, (_, at) => idAt(1_790_000_000_000 + at * 1000, at));
  for (const [at, id] of ids.entries())
    putRollout(home.home, { id, createdAtMs: 1_790_000_000_000 + at * 1000, text: `number ${at}` });
  expect(idsOf(await runThreads("list", "--limit", "1000"))).toHaveLength(250);
  const [first = ""] = ids;
  const shown = await runThreads("show", first.slice(0, -1));
  expect(shown).toMatchObject({ thread: { id: first, preview: "number 0" }, archived: false });
  expect(JSON.stringify(shown.turns)).toContain("number 0");
  expect((await threads("show", first.slice(0, 5))).stderr).toMatch(
    /^Error: 250 threads have ids that begin with .* or another\n$/u,
  );
  expect(await threads("list", "--cursor", "garbage")).toMatchObject({
    code: 1,
    stderr: "Error: invalid cursor: garbage\n",
  });
});

test("a thread is exported whole, as lines and as Markdown, and no file is written over", async () => {
  const { client, stop } = await serve();
  const id = await addThread(client, "turn 0");
  for (let at = 1; at < 25; at++) await addTurn(client, id, `turn ${at}`);
  await stop();
  const lines = (await threads("export", id)).stdout.trimEnd().split("\n");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ thread: { id } });
  const asked = lines.slice(1).map((line) => JSON.parse(line).turn.items[0].content[0].text);
  expect(asked).toEqual(Array.from({ length: 25 }, (_, at) => `turn ${at}`));
  const { turns } = await runThreads("show", id, "--limit", "2");
  expect(
    turns.map(({ items }: { items: { content: { text: string }[] }[] }) => items[0]?.content[0]?.text),
  ).toEqual(["turn 23", "turn 24"]);
  expect(await threads("export", id, "--format", "markdown", "-o", "a.md")).toEqual({
    code: 0,
    stdout: "",
    stderr: "",
  });
  const text = readFileSync(join(home.workspace, "a.md"), "utf8");
  expect(text.match(/^## User$/gmu)).toHaveLength(25);
  const again = await threads("export", id, "-o", "a.md");
  expect(again).toMatchObject({ code: 1, stderr: "Error: cannot write a.md: File exists (os error 17)\n" });
  expect(readFileSync(join(home.workspace, "a.md"), "utf8")).toBe(text);
});

test("threads are archived, brought back and deleted", async () => {
  const [one = "", two = ""] = await makeThreads("one", "two");
  expect(await runThreads("archive", one, two)).toEqual({ threadIds: [one, two] });
  expect([await runThreads("list"), await runThreads("list", "--archived")].map(idsOf)).toEqual([
    [],
    [two, one],
  ]);
  expect(await threads("archive", one)).toMatchObject({
    code: 1,
    stderr: `Error: thread ${one} was not archived: it is archived, or gone\n`,
  });
  expect(await runThreads("unarchive", one)).toEqual({ threadIds: [one] });
  expect(await threads("unarchive", one)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("not archived\n"),
  });
  const path = (await runThreads("show", one)).thread.path;
  const refused = await threads("delete", one);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("nothing was deleted: there is no terminal to ask on; use --yes\n");
  expect(existsSync(path)).toBe(true);
  // One invalid id keeps all of them.
  expect((await threads("delete", "--yes", one, "nobody")).code).toBe(1);
  expect(existsSync(path)).toBe(true);
  expect(JSON.parse((await threads("delete", "--yes", one, one)).stdout)).toEqual({ threadIds: [one] });
  expect([existsSync(path), idsOf(await runThreads("list"))]).toEqual([false, []]);
});

testWith("script", "a terminal is asked before anything is deleted", async () => {
  const [id = ""] = await makeThreads("one");
  expect((await callOnTerminal(home, ["threads", "delete", id], ["[y/N]", "n\n"])).code).toBe(1);
  expect((await callOnTerminal(home, ["threads", "delete", id], ["[y/N]", "\u0004"])).code).toBe(1);
  expect(idsOf(await runThreads("list"))).toEqual([id]);
  const { code, stdout } = await callOnTerminal(home, ["threads", "delete", id], ["[y/N]", "y\n"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`deleted: ${id}`);
  expect(idsOf(await runThreads("list"))).toEqual([]);
});

test("a thread that a server has loaded is read, and otherwise left alone", async () => {
  const { client } = await serve();
  const id = await addThread(client);
  expect((await runThreads("show", id)).thread.id).toBe(id);
  for (const args of [
    ["archive", id],
    ["delete", "--yes", id],
  ]) {
    const { code, stdout, stderr } = await threads(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '{"threadIds":[]}\n' });
    expect(stderr).toContain(
      "a server has it loaded; let a client of that server do it, or end the server first",
    );
  }
  await addTurn(client, id, "still here");
  expect((await runThreads("show", id)).turns).toHaveLength(2);
});

describe("resume", () => {
  const resume = (...args: string[]) => callHeddle(home, ["resume", "--skip-git-repo-check", ...args]);

  test("goes on with a thread that is there, and begins none", async () => {
    const [id = ""] = await makeThreads("one");
    for (const words of [
      [id, "two"],
      [id.slice(0, 20), "three"],
      ["--last", "four"],
    ])
      expect(await resume(...words)).toMatchObject({ code: 0 });
    expect((await runThreads("show", id)).turns).toHaveLength(4);
    expect(await resume("nobody", "x")).toMatchObject({ code: 1, stdout: "" });
    const elsewhere = await resume("-C", home.user, "--last", "x");
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no thread of ") });
    expect(await resume("--all")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("name a thread, or use --last"),
    });
    await runThreads("archive", id);
    expect(await resume(id, "x")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is archived: unarchive it first"),
    });
    expect(idsOf(await runThreads("list"))).toEqual([]);
  });

  testWith("script", "asks on a terminal which thread, and what to do", async () => {
    const [one = "", two = ""] = await makeThreads("one", "two");
    const resumeHere = ["resume", "--skip-git-repo-check"];
    // Input that is typed too early is not lost.
    for (const dialog of [
      [
        ["Which one?", "2\n"],
        ["done?", "Hello again\n"],
      ],
      [["Which one?", "2\nHello again\n"]],
    ] as Typed[][]) {
      const { code, stdout } = await callOnTerminal(home, resumeHere, ...dialog);
      expect(code).toBe(0);
      expect(stdout).toContain(`  ${two}`);
      expect(stdout).toContain('You said: "Hello again"');
    }
    expect((await runThreads("show", one)).turns.length + (await runThreads("show", two)).turns.length).toBe(
      4,
    );
    expect((await callOnTerminal(home, ["resume"], ["Which one?", "9\n"])).stdout).toContain(
      "'9' is not a number from 1 to 2",
    );
  });
});

test("an HTML file has the whole thread, and is not mixed with another format", async () => {
  const [id = ""] = await makeThreads("<b>one</b> in token=0123456789");
  for (const format of [["--html"], ["--format", "html"], ["--html", "--format", "html"]]) {
    const { code, stdout } = await threads("export", id, ...format);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<!doctype html>\n[\s\S]*<\/html>\n$/u);
    expect(stdout).toContain("&lt;b>one&lt;/b> in token=[REDACTED_SECRET]");
  }
  expect(await threads("export", id, "--html", "--format", "markdown")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("'--html' cannot be used with '--format markdown'"),
  });
  const again = ["export", id, "--html", "-o", "thread.html"];
  expect(await threads(...again)).toMatchObject({ code: 0, stdout: "" });
  expect(await threads(...again)).toMatchObject({ code: 1, stderr: expect.stringContaining("File exists") });
});

test("nobody needs to read on", async () => {
  const [id = ""] = await makeThreads(`long ${"x".repeat(500_000)}`);
  for (const words of [`list`, `show ${id}`, `export ${id}`, `export --html ${id}`, `search long`]) {
    const { stderr, code } = await callInShell(home, `set -o pipefail; heddle threads ${words} | head -c 1`);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  }
  const full = await callInShell(home, `heddle threads export ${id} > /dev/full`);
  expect(full).toMatchObject({
    code: 1,
    stderr: "Error: cannot write to stdout: No space left on device (os error 28)\n",
  });
});
