import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { silentLogger } from "../../../base/logger.ts";
import type { ThreadItemEntry } from "../../../protocol/generated/types.ts";
import {
  accepted,
  createFinishedThread,
  listed,
  opened,
  pageOf,
  turnsOf,
  writeTurn,
} from "../../contract/store-harness.fixture.ts";
import type { LeaseOutcome } from "../../leases.ts";
import type { Page } from "../../thread-store.ts";
import type { HistoryIndex } from "../index/history-index.ts";
import { packFile } from "../rollout/pack-file.ts";
import { archivedFolder, parseRolloutName, plainPath } from "../rollout/rollout-name.ts";
import { FileLeases } from "./file-leases.ts";
import { type FileThreadStore, openFileThreads } from "./file-thread-store.ts";
import { createHistoryHarness, type HistoryHarness, sqliteIndex } from "./history.fixture.ts";
import { currentNode } from "./lease-owner.ts";
import { type MoveContext, moveFiles } from "./move-threads.ts";
import { packThread } from "./pack-thread.ts";

const TURNS = Array.from({ length: 40 }, (_, at) => `turn-${at}`);
const SHOWN = TURNS.map((turn) => `${turn} completed ${turn}-user ${turn}-agent`);

interface Stage {
  readonly harness: HistoryHarness;
  readonly threadId: string;
  readonly location: string;
  /** A store of another server on the same home. */
  reopen(): FileThreadStore;
}

/** A thread that the peer has packed after it was inactive. */
async function packed({ archived }: { readonly archived: boolean }): Promise<Stage> {
  const harness = createHistoryHarness();
  const index = sqliteIndex(harness.home);
  const threads = harness.open({ index });
  const threadId = await createFinishedThread(harness, threads, TURNS);
  // Indexes the lines.
  await turnsOf(threads, threadId);
  if (archived) accepted(await threads.archive(threadId));
  const { location } = (await threads.read(threadId)) ?? {};
  const packing = await packFile(location ?? "", () => 0);
  if (packing.kind === "left") throw new Error(packing.why);
  return { harness, threadId, location: packing.path, reopen: () => harness.open({ index }) };
}

const VIEWS: [string, (stage: Stage) => FileThreadStore][] = [
  ["an index that knew it", ({ reopen }) => reopen()],
  ["a new index", ({ harness }) => harness.open()],
];

describe.each(VIEWS)("a packed thread, with %s,", (_what, view) => {
  test.each([true, false])("is listed, read and searched as before; archived: %s", async (archived) => {
    const stage = await packed({ archived });
    const threads = view(stage);
    const { threadId, location } = stage;
    expect(await listed(threads, { archived })).toEqual([threadId]);
    expect(await listed(threads, { archived: !archived })).toEqual([]);
    expect(await threads.read(threadId)).toMatchObject({ threadId, archived, location });
    expect(await turnsOf(threads, threadId)).toEqual(SHOWN.slice(0, 25));
    expect(await pages(threads, threadId)).toEqual(
      TURNS.flatMap((turn) => [`${turn}-user`, `${turn}-agent`]),
    );
    const found = pageOf(await threads.search("say TURN-39", { archived }));
    expect(found.data.map(({ snippet }) => snippet)).toEqual([expect.stringContaining("say turn-39")]);
    const places = accepted(await threads.searchOccurrences(threadId, "did turn-3"));
    expect(places.data.length).toBe(11);
    let lines = 0;
    for await (const _line of threads.lines(threadId)) lines += 1;
    expect(lines).toBe(1 + 4 * TURNS.length);
    expect(readdirSync(dirname(location))).toEqual([basename(location)]);
  });

  test("comes back unpacked, and goes on", async () => {
    const stage = await packed({ archived: true });
    const threads = view(stage);
    const { threadId, location, harness } = stage;
    expect(await threads.open(threadId)).toMatchObject({ kind: "refused", reason: "archived" });
    accepted(await threads.unarchive(threadId));
    expect([existsSync(location), readdirSync(archivedFolder(harness.home))]).toEqual([false, []]);
    const journal = await opened(threads, threadId);
    expect(journal.location).toMatch(/\/sessions\/2026\/11\/15\/[^/]+\.jsonl$/);
    await writeTurn(journal, "last", "one more", "done");
    await journal.close();
    for (const store of [threads, harness.open()])
      expect((await turnsOf(store, threadId, "desc")).slice(0, 2)).toEqual([
        "last completed last-user last-agent",
        SHOWN[39],
      ]);
  });

  test("goes on where it lies, when it is opened", async () => {
    const stage = await packed({ archived: false });
    const { threadId, location } = stage;
    const journal = await opened(view(stage), threadId);
    await writeTurn(journal, "last", "one more", "done");
    await journal.close();
    expect(readdirSync(dirname(location))).toEqual([basename(location, ".zst")]);
    expect((await turnsOf(stage.harness.open(), threadId, "desc"))[1]).toBe(SHOWN[39]);
  });

  test("can be forked and reverted", async () => {
    const stage = await packed({ archived: false });
    const threads = view(stage);
    const { threadId, harness } = stage;
    const boundary = { kind: "through", turnId: "turn-1" } as const;
    const fork = accepted(await threads.fork(threadId, boundary, harness.origin()));
    await fork.journal.close();
    expect(await turnsOf(harness.open(), fork.journal.threadId)).toEqual(SHOWN.slice(0, 2));
    const other = await packed({ archived: false });
    const reverting = view(other);
    accepted(await reverting.revert(other.threadId, "turn-2"));
    expect(await turnsOf(other.harness.open(), other.threadId)).toEqual(SHOWN.slice(0, 2));
  });

  test("is deleted with all that is left of it", async () => {
    const stage = await packed({ archived: true });
    const { threadId, location, harness } = stage;
    writeFileSync(location.slice(0, -".zst".length), "what an unpacking was killed over");
    const threads = view(stage);
    await threads.whenIndexed();
    accepted(await threads.delete(threadId));
    expect(readdirSync(archivedFolder(harness.home))).toEqual([]);
    expect(await harness.open().read(threadId)).toBeNull();
  });

  test("counts as it is where it lies unpacked beside", async () => {
    const stage = await packed({ archived: false });
    const journal = await opened(stage.reopen(), stage.threadId);
    await writeTurn(journal, "last", "one more", "done");
    await journal.close();
    writeFileSync(stage.location, "what an unpacking was killed over");
    const threads = view(stage);
    expect(await listed(threads)).toEqual([stage.threadId]);
    expect((await turnsOf(threads, stage.threadId, "desc"))[0]).toBe("last completed last-user last-agent");
  });
});

test("what the index knows of a thread holds when it is packed: nothing is taken in again", async () => {
  const harness = createHistoryHarness();
  const known = sqliteIndex(harness.home);
  let taken = 0;
  const index: HistoryIndex = {
    ...known,
    get epoch() {
      return known.epoch;
    },
    apply(batch) {
      taken += 1;
      return known.apply(batch);
    },
  };
  const threads = harness.open({ index });
  const threadId = await createFinishedThread(harness, threads, TURNS);
  await turnsOf(threads, threadId);
  accepted(await threads.archive(threadId));
  const before = taken;
  expect(await packThread(threads.moves, threadId)).toBeGreaterThan(1000);
  for (const store of [threads, harness.open({ index })])
    expect((await turnsOf(store, threadId, "desc"))[0]).toBe(SHOWN[39]);
  expect(taken).toBe(before);
});

test("a failed unarchive leaves an unpacked file that was there before", async () => {
  const { harness, threadId, location } = await packed({ archived: true });
  const real = sqliteIndex(harness.home);
  const [indexed] = await real.rolloutsOf(threadId);
  if (indexed === undefined) throw new Error("the index has no such thread");
  const row = { ...indexed, path: location };
  const unarchived = join(harness.home, "sessions", ...rolloutDay(location), basename(plainPath(location)));
  mkdirSync(dirname(unarchived), { recursive: true });
  writeFileSync(unarchived, "an earlier copy\n");
  const other = {
    ...row,
    path: location.replace(
      threadId,
      threadId.replace(/.$/, (last) => (last === "f" ? "e" : "f")),
    ),
  };
  const index = { ...real, rolloutsOf: async () => [row, other] } as unknown as HistoryIndex;
  const context = { home: harness.home, index, clock: harness.clock } as unknown as MoveContext;
  expect(await moveFiles(context, threadId, { archived: false })).toMatchObject({ kind: "refused" });
  expect(readFileSync(unarchived, "utf8")).toBe("an earlier copy\n");
});

function rolloutDay(path: string): string[] {
  return parseRolloutName(basename(path))?.time.slice(0, 10).split("-") ?? [];
}

test("a thread that is archived while somebody opens it stays archived", async () => {
  const harness = createHistoryHarness();
  const index = sqliteIndex(harness.home);
  const others = harness.open({ index });
  const threadId = await createFinishedThread(harness, others, ["one"]);
  class LateLeases extends FileLeases {
    override async acquire(...request: Parameters<FileLeases["acquire"]>): Promise<LeaseOutcome> {
      accepted(await others.archive(threadId));
      return super.acquire(...request);
    }
  }
  const options = { ...harness, log: silentLogger };
  const leases = new LateLeases({ ...options, table: index, lockFiles: false });
  leases.join(currentNode("late"));
  const threads = openFileThreads({ ...options, index, leases });
  expect(await threads.open(threadId)).toMatchObject({ kind: "refused", reason: "archived" });
  await threads.close();
  await leases.close();
});

test("a packed file that cannot be unpacked is left out, and told of", async () => {
  const { harness, threadId, location } = await packed({ archived: true });
  writeFileSync(location, "no zstd at all, and long enough");
  const said: string[] = [];
  const log = { ...console, error: (text: string) => said.push(text) };
  const threads = harness.open({ log });
  harness.advance(3_600_000 * 24 * 365);
  expect(await listed(threads, { archived: true })).toEqual([]);
  expect(await threads.read(threadId)).toBeNull();
  expect(said.join()).toContain("is left out: it cannot be unpacked: it is not a zstd file");
});

/** All items of a thread, in pages of five. */
async function pages(threads: FileThreadStore, threadId: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<ThreadItemEntry> = pageOf(
      await threads.items(threadId, { cursor, limit: 5, direction: "asc" }),
    );
    found.push(...page.data.map(({ item }) => item.id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}
