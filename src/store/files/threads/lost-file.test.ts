/** Files that vanish, and ends of turns that cannot be written, as readers of the history see them. */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TurnError } from "../../../protocol/generated/types.ts";
import { writeTurn } from "../../contract/world.fixture.ts";
import { started } from "../../lines/lines.fixture.ts";
import { taskComplete } from "../../lines/turn-lines.ts";
import type { FileJournal } from "./file-journal.ts";
import type { FileThreadStore } from "./file-thread-store.ts";
import { createGround, type Ground, sqliteIndex } from "./history.fixture.ts";

interface World {
  readonly ground: Ground;
  readonly history: FileThreadStore;
  readonly journal: FileJournal;
  readonly told: string[];
}

async function open(): Promise<World> {
  const ground = createGround();
  const history = ground.open({ index: sqliteIndex(ground.home) });
  const journal = history.create(ground.origin());
  const told: string[] = [];
  const append = journal.append.bind(journal);
  journal.append = async (lines) => {
    const outcome = await append(lines);
    if (outcome.kind === "kept" && outcome.warning?.includes("has been written anew") === true)
      told.push(basename(outcome.warning));
    return outcome;
  };
  await writeTurn(journal, "t1");
  return { ground, history, journal, told };
}

async function turnsOf(history: FileThreadStore, threadId: string): Promise<string[]> {
  const page = await history.turns(threadId, { direction: "asc" });
  if (page.kind === "refused") return [page.message];
  return page.data.map(({ id, status, items, error }) =>
    [id, status, items.length, ...(error === null ? [] : [error.message])].join(" "),
  );
}

async function listed(history: FileThreadStore): Promise<string[]> {
  const page = await history.list({ archived: false });
  return page.kind === "refused" ? [page.message] : page.data.map(({ threadId }) => threadId);
}

describe("a thread whose file vanishes", () => {
  test.each([
    ["its file", ({ journal }: World) => rmSync(journal.location)],
    ["all sessions", ({ ground }: World) => rmSync(join(ground.home, "sessions"), { recursive: true })],
    [
      "the home",
      ({ ground }: World) => {
        renameSync(ground.home, `${ground.home}-moved`);
        rmSync(`${ground.home}-moved`, { recursive: true });
      },
    ],
  ])("has it back with its next line, and loses nothing: %s", async (_name, lose) => {
    const world = await open();
    const { history, journal, told } = world;
    expect(await turnsOf(history, journal.threadId)).toEqual(["t1 completed 2"]);
    lose(world);
    await writeTurn(journal, "t2");
    await writeTurn(journal, "t3");
    expect(told).toEqual([basename(journal.location)]);
    expect(await turnsOf(history, journal.threadId)).toEqual([
      "t1 completed 2",
      "t2 completed 2",
      "t3 completed 2",
    ]);
    expect(await listed(history)).toEqual([journal.threadId]);
  });

  test("also when it was missed before", async () => {
    const { history, journal } = await open();
    rmSync(journal.location);
    expect([await history.read(journal.threadId), await listed(history)]).toEqual([null, []]);
    await writeTurn(journal, "t2");
    expect(await turnsOf(history, journal.threadId)).toEqual(["t1 completed 2", "t2 completed 2"]);
    expect(await listed(history)).toEqual([journal.threadId]);
  });

  test("because it was archived or compressed is left where it is", async () => {
    const archive = ({ ground, journal }: World) => {
      const folder = join(ground.home, "archived_sessions");
      mkdirSync(folder);
      renameSync(journal.location, join(folder, basename(journal.location)));
    };
    const compress = ({ journal }: World) => {
      rmSync(journal.location);
      writeFileSync(`${journal.location}.zst`, "compressed");
    };
    for (const move of [archive, compress]) {
      const world = await open();
      move(world);
      const outcome = await world.journal.append([started("t2")]);
      expect(outcome).toMatchObject({ kind: "fenced", reason: "takenOver" });
      expect([existsSync(world.journal.location), world.told]).toEqual([false, []]);
    }
  });

  test("and that another process has taken is not written anew", async () => {
    const { ground, journal, told } = await open();
    const index = sqliteIndex(ground.home);
    const owner = `${process.pid}@elsewhere#2`;
    const { threadId } = journal;
    const ignoring = [(await index.leaseOwner(threadId)) ?? ""];
    await index.acquireLease({ threadId, owner, ignoring });
    rmSync(journal.location);
    const outcome = await journal.append([started("t2")]);
    expect(outcome).toMatchObject({ kind: "fenced", reason: "takenOver" });
    expect([existsSync(journal.location), told]).toEqual([false, []]);
  });
});

describe("the end of a turn that is not in the file yet", () => {
  const error: TurnError = {
    message: "the history could not be written",
    codexErrorInfo: "other",
    additionalDetails: null,
    misalignment: null,
  };
  const end = { turnId: "t2", startedAt: 1, completedAt: 2, durationMs: 3, lastAgentMessage: null };

  test("shows at once, and is written before whatever comes next", async () => {
    const { history, journal, ground } = await open();
    await journal.append([started("t2")]);
    expect((await turnsOf(history, journal.threadId)).at(-1)).toBe("t2 inProgress 0");
    journal.deferTurnEnd({ turnId: "t2", line: taskComplete({ ...end, error }), error });
    expect((await turnsOf(history, journal.threadId)).at(-1)).toBe(`t2 failed 0 ${error.message}`);
    const aside = `${dirname(journal.location)}-aside`;
    renameSync(dirname(journal.location), aside);
    writeFileSync(dirname(journal.location), "in the way");
    expect((await journal.append([started("t3")])).kind).toBe("unavailable");
    rmSync(dirname(journal.location));
    renameSync(aside, dirname(journal.location));
    await writeTurn(journal, "t3");
    const kept = ["t1 completed 2", `t2 failed 0 ${error.message}`, "t3 completed 2"];
    expect(await turnsOf(history, journal.threadId)).toEqual(kept);
    await history.close();
    const again = ground.open({ index: sqliteIndex(ground.home) });
    expect(await turnsOf(again, journal.threadId)).toEqual(kept);
  });

  test("is written when the thread is let go, at the latest", async () => {
    const { journal } = await open();
    await journal.append([started("t2")]);
    journal.deferTurnEnd({ turnId: "t2", line: taskComplete({ ...end, error }), error });
    await journal.close();
    expect(readFileSync(journal.location, "utf8")).toContain(error.message);
  });
});

test("the first message of a thread that the index knows without one is in the index when it is kept", async () => {
  const ground = createGround();
  const index = sqliteIndex(ground.home);
  const history = ground.open({ index });
  const journal = history.create(ground.origin());
  const preview = async () => (await index.current(journal.threadId))?.row.facts.preview;
  await journal.append([started("t0")]);
  expect([await listed(history), await preview()]).toEqual([[], ""]);
  await writeTurn(journal, "t1");
  expect(await preview()).toBe("hello");
});
