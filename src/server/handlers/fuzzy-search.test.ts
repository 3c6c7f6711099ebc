import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { MAX_INDEXED_FILES } from "../../search/file-search.ts";
import { createLocalSearchHost } from "../../search/local-search-host.ts";
import { createFileSearches } from "../machine/file-searches.ts";
import { createClients } from "./client-work.fixture.ts";
import { createFuzzySearchHandlers } from "./fuzzy-search.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "heddle-fuzzy-")));
  const created = root;
  onTestFinished(() => rmSync(created, { recursive: true, force: true }));
  mkdirSync(join(root, "sub"));
  for (const name of ["abc", "abcde", "abexy", "sub/abce", "zzz.txt"]) writeFileSync(join(root, name), "");
});

function setUp(maxSessions?: number) {
  const { notifier, connect } = createClients();
  const host = createLocalSearchHost({
    cwd: root,
    userIgnoreFile: null,
    maxFiles: MAX_INDEXED_FILES,
    clock: systemClock,
  });
  onTestFinished(() => host.close());
  const searches = createFileSearches(host, maxSessions);
  const handlers = createFuzzySearchHandlers({ searches, notifier });
  const client = connect();
  return {
    client,
    searches,
    ask: async (query: string, roots = [root], cancellationToken: string | null = null) =>
      handlers.fuzzyFileSearch({ query, roots, cancellationToken }, client.context),
    start: async (sessionId: string, roots = [root]) =>
      handlers["fuzzyFileSearch/sessionStart"]({ sessionId, roots }, client.context),
    update: async (sessionId: string, query: string) =>
      handlers["fuzzyFileSearch/sessionUpdate"]({ sessionId, query }, client.context),
    stop: async (sessionId: string) => handlers["fuzzyFileSearch/sessionStop"]({ sessionId }, client.context),
  };
}

const file = (path: string, score: number, indices: number[]) => ({
  root,
  path,
  match_type: "file",
  file_name: path.split("/").at(-1),
  score,
  indices,
});

describe("a single search", () => {
  test("gives the best first, with where they match", async () => {
    expect(await setUp().ask("abe")).toEqual({
      files: [file("abexy", 84, [0, 1, 2]), file("sub/abce", 72, [4, 5, 7]), file("abcde", 71, [0, 1, 4])],
    });
  });

  test("finds folders too, and names a relative root as it was given", async () => {
    const folder = { ...file("sub", 84, [0, 1, 2]), match_type: "directory" };
    expect(await setUp().ask("sub$", ["."])).toEqual({ files: [{ ...folder, root: "." }] });
  });

  test("gives a file in two roots to the deeper one", async () => {
    const { files } = await setUp().ask("abce$", [root, join(root, "sub")]);
    expect(new Set(files.map((each) => `${each.root} ${each.path}`))).toEqual(
      new Set([`${join(root, "sub")} abce`]),
    );
  });

  test("gives no more than fifty", async () => {
    for (let index = 0; index < 60; index += 1) writeFileSync(join(root, `many-${index}`), "");
    expect((await setUp().ask("many")).files).toHaveLength(50);
  });

  test("finds nothing without a query, without roots, and in a root that is not there", async () => {
    const { ask } = setUp();
    const answers = [await ask(""), await ask("abe", []), await ask("abe", ["gone"])];
    expect(answers).toEqual([{ files: [] }, { files: [] }, { files: [] }]);
  });

  test("is answered early when another takes its token, or when its client goes", async () => {
    const { ask, client, searches } = setUp();
    const first = ask("abe", [root], "t");
    const second = ask("zzz", [root], "t");
    expect(await first).toEqual({ files: [] });
    expect(await second).toEqual({ files: [file("zzz.txt", 84, [0, 1, 2])] });
    const third = ask("abe");
    searches.drop(client.connection);
    expect(await third).toEqual({ files: [] });
  });
});

describe("a session", () => {
  const updated = (query: string, files: object[]) => [
    "fuzzyFileSearch/sessionUpdated",
    { sessionId: "s", query, files },
  ];
  const completed = ["fuzzyFileSearch/sessionCompleted", { sessionId: "s" }];

  test("tells when it has seen all files, and then the best for each query", async () => {
    const { client, start, update } = setUp();
    expect(await start("s")).toEqual({});
    expect(await client.until("fuzzyFileSearch/sessionCompleted")).toEqual([updated("", []), completed]);
    expect(await update("s", "abex")).toEqual({});
    const found = [file("abexy", 109, [0, 1, 2, 3])];
    expect(await client.until("fuzzyFileSearch/sessionCompleted")).toEqual([
      updated("abex", found),
      completed,
    ]);
    await update("s", "");
    expect(await client.until("fuzzyFileSearch/sessionCompleted")).toEqual([updated("", []), completed]);
  });

  test("tells of the latest query only", async () => {
    const { client, start, update } = setUp();
    await start("s");
    await update("s", "a");
    await update("s", "zzz");
    const found = [file("zzz.txt", 84, [0, 1, 2])];
    expect(await client.until("fuzzyFileSearch/sessionCompleted")).toEqual([
      updated("zzz", found),
      completed,
    ]);
  });

  test("is gone when it was stopped, and starting it again takes its place", async () => {
    const { client, start, stop, update } = setUp();
    await start("s", ["gone"]);
    await start("s");
    await update("s", "zzz");
    await client.until("fuzzyFileSearch/sessionCompleted");
    await stop("s");
    expect(await stop("s")).toEqual({});
    await expect(update("s", "a")).rejects.toMatchObject({
      code: -32600,
      message: "fuzzy file search session not found: s",
    });
  });

  test("needs a name and a root, and there are so many of them at most", async () => {
    const { start, stop } = setUp(2);
    await expect(start("")).rejects.toMatchObject({ code: -32600, message: "sessionId must not be empty" });
    await expect(start("s", [])).rejects.toMatchObject({
      code: -32603,
      message: "failed to start fuzzy file search session: at least one search directory is required",
    });
    await start("one");
    await start("two");
    await start("two");
    await expect(start("three")).rejects.toThrow("too many fuzzy file search sessions are open");
    await stop("one");
    expect(await start("three")).toEqual({});
  });
});
