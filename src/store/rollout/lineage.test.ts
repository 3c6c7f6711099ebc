import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import type { LineBody } from "./line.ts";
import { findLineage, readLineage } from "./lineage.ts";
import { foldAll, turnsOf } from "./projection.ts";
import { completed, fileText, meta, NOW, started, THREAD, temporaryFolder } from "./rollout.fixture.ts";
import { rolloutPath } from "./rollout-name.ts";

const FORK = "01a1de85-cb3f-7743-94c9-2987ecafbd1a";
const REVERT = "01a1de85-cba1-7e20-ac33-315cf5d54b77";

interface Part {
  readonly home: string;
  readonly threadId: string;
  readonly rolloutId?: string;
  readonly firstOrdinal?: number;
  readonly at?: number;
}

function put(
  { home, threadId, rolloutId = threadId, firstOrdinal = 0, at = 0 }: Part,
  bodies: LineBody[],
): string {
  const path = rolloutPath(home, { threadId, rolloutId, createdAtMs: NOW + at, utcOffsetMinutes: 0 });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, fileText(bodies, { firstOrdinal }));
  return path;
}

const FIRST = [meta(), started("one"), completed("one")];
const base = (rolloutId: string, end: number, bodies: readonly LineBody[]) => ({
  thread_id: rolloutId,
  end_ordinal_exclusive: end,
  end_byte_offset: Buffer.byteLength(fileText(bodies)),
});

test("a revert of a fork reads through all files, each as far as it counts", async () => {
  const home = temporaryFolder();
  const original = put({ home, threadId: THREAD }, [...FIRST, started("two"), completed("two")]);
  const forkMeta = meta({ threadId: FORK, forkedFromId: THREAD, historyBase: base(THREAD, 3, FIRST) });
  const fork = put({ home, threadId: FORK, firstOrdinal: 3, at: 1000 }, [
    forkMeta,
    started("three"),
    completed("three"),
  ]);
  const forkBytes = Buffer.byteLength(fileText([forkMeta], { firstOrdinal: 3 }));
  const historyBase = { thread_id: FORK, end_ordinal_exclusive: 4, end_byte_offset: forkBytes };
  const revertMeta = meta({ threadId: FORK, forkedFromId: THREAD, createdAtMs: NOW + 5000, historyBase });
  const revert = put({ home, threadId: FORK, rolloutId: REVERT, firstOrdinal: 4, at: 5000 }, [
    revertMeta,
    started("four"),
    completed("four"),
  ]);

  const lineage = await findLineage(home, FORK);
  expect(lineage).toEqual({
    kind: "found",
    archived: false,
    segments: [
      { path: original, to: historyBaseEnd() },
      { path: fork, to: forkBytes },
      { path: revert, to: null },
    ],
  });
  const projection = await foldAll(readLineage(lineage.kind === "found" ? lineage.segments : []));
  expect(turnsOf(projection, { live: false }).map(({ id }) => id)).toEqual(["one", "four"]);
  expect(projection.state.facts).toMatchObject({ id: FORK, forkedFromId: THREAD, historyBase });
});

function historyBaseEnd(): number {
  return Buffer.byteLength(fileText(FIRST));
}

test("a thread stays as old as it was when it is reverted", async () => {
  const home = temporaryFolder();
  put({ home, threadId: THREAD }, FIRST);
  put({ home, threadId: THREAD, rolloutId: REVERT, firstOrdinal: 3, at: 60_000 }, [
    meta({ createdAtMs: NOW + 60_000, historyBase: base(THREAD, 3, FIRST) }),
  ]);
  const lineage = await findLineage(home, THREAD);
  const projection = await foldAll(readLineage(lineage.kind === "found" ? lineage.segments : []));
  expect(projection.state.facts.createdAtMs).toBe(NOW);
});

test("a history whose files are missing, or go round in a circle, says so", async () => {
  const home = temporaryFolder();
  expect(await findLineage(home, THREAD)).toEqual({ kind: "missing" });
  const path = put({ home, threadId: FORK }, [meta({ threadId: FORK, historyBase: base(THREAD, 3, FIRST) })]);
  expect(await findLineage(home, FORK)).toEqual({
    kind: "broken",
    message: `the history of thread ${FORK} cannot be read: the file of ${THREAD}, which it goes on from, is missing`,
  });
  rmSync(path);
  put({ home, threadId: FORK }, [meta({ threadId: FORK, historyBase: base(FORK, 3, FIRST) })]);
  expect(await findLineage(home, FORK)).toEqual({
    kind: "broken",
    message: `the history of thread ${FORK} cannot be read: ${path} goes on from itself`,
  });
});
