/** Removed files, and turn ends that cannot be written, as readers of the history see them. */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TurnError } from "../../../protocol/generated/types.ts";
import { writeTurn } from "../../contract/store-harness.fixture.ts";
import { started } from "../../lines/lines.fixture.ts";
import { taskComplete } from "../../lines/turn-lines.ts";
import type { FileJournal } from "./file-journal.ts";
import type { FileThreadStore } from "./file-thread-store.ts";
import { createHistoryHarness, type HistoryHarness, sqliteIndex } from "./history.fixture.ts";

interface LostFileSetup {
  readonly harness: HistoryHarness;
  readonly history: FileThreadStore;
  readonly journal: FileJournal;
  readonly warnings: string[];
}

async function open(): Promise<LostFileSetup> {
  const harness = createHistoryHarness();
  const history = harness.open({ index: sqliteIndex(harness.home) });
  const journal = history.create(harness.origin());
  const warnings: string[] = [];
  const append = journal.append.bind(journal);
  journal.append = async (lines) => {
    const outcome = await append(lines);
    if (outcome.kind === "kept" && outcome.warning?.includes("has been restored") === true)
      warnings.push(basename(outcome.warning));
    return outcome;
  };
  await writeTurn(journal, "t1");
  return { harness, history, journal, warnings };
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
    ["its file", ({ journal }: LostFileSetup) => rmSync(journal.location)],
    [
      "all sessions",
      ({ harness }: LostFileSetup) => rmSync(join(harness.home, "sessions"), { recursive: true }),
    ],
    [
      "the home",
      ({ harness }: LostFileSetup) => {
        renameSync(harness.home, `${harness.home}-moved`);
        rmSync(`${harness.home}-moved`, { recursive: true });
      },
    ],
  ])("has it back with its next line, and loses nothing: %s", async (_name, lose) => {
    const setup = await open();
    const { history, journal, warnings } = setup;
    expect(await turnsOf(history, journal.threadId)).toEqual(["t1 completed 2"]);
    lose(setup);
    await writeTurn(journal, "t2");
    await writeTurn(journal, "t3");
    expect(warnings).toEqual([basename(journal.location)]);
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
    const archive = ({ harness, journal }: LostFileSetup) => {
      const folder = join(harness.home, "archived_sessions");
      mkdirSync(folder);
      renameSync(journal.location, join(folder, basename(journal.location)));
    };
    const compress = ({ journal }: LostFileSetup) => {
      rmSync(journal.location);
      writeFileSync(`${journal.location}.zst`, "compressed");
    };
    for (const move of [archive, compress]) {
      const setup = await open();
      move(setup);
      const outcome = await setup.journal.append([started("t2")]);
      expect(outcome).toMatchObject({ kind: "fenced", reason: "takenOver" });
      expect([existsSync(setup.journal.location), setup.warnings]).toEqual([false, []]);
    }
  });

  test("and that another process has taken is not written anew", async () => {
    const { harness, journal, warnings } = await open();
    const index = sqliteIndex(harness.home);
    const owner = `${process.pid}@elsewhere#2`;
    const { threadId } = journal;
    const ignoring = [(await index.leaseOwner(threadId)) ?? ""];
    await index.acquireLease({ threadId, owner, ignoring });
    rmSync(journal.location);
    const outcome = await journal.append([started("t2")]);
    expect(outcome).toMatchObject({ kind: "fenced", reason: "takenOver" });
    expect([existsSync(journal.location), warnings]).toEqual([false, []]);
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
    const { history, journal, harness } = await open();
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
    const again = harness.open({ index: sqliteIndex(harness.home) });
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
  const harness = createHistoryHarness();
  const index = sqliteIndex(harness.home);
  const history = harness.open({ index });
  const journal = history.create(harness.origin());
  const preview = async () => (await index.current(journal.threadId))?.row.facts.preview;
  await journal.append([started("t0")]);
  expect([await listed(history), await preview()]).toEqual([[], ""]);
  await writeTurn(journal, "t1");
  expect(await preview()).toBe("hello");
});
