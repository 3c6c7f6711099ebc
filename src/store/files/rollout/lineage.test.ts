import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import type { LineBody } from "../../lines/line.ts";
import { completed, started } from "../../lines/lines.fixture.ts";
import { foldAll, turnsOf } from "../../lines/projection.fixture.ts";
import { readLineage } from "./reader.ts";
import { fileText, meta, NOW, THREAD, temporaryFolder } from "./rollout.fixture.ts";
import { plainFiles } from "./rollout-files.ts";
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

  const projection = await foldAll(
    readLineage(plainFiles, [
      { path: original, to: Buffer.byteLength(fileText(FIRST)) },
      { path: fork, to: forkBytes },
      { path: revert, to: null },
    ]),
  );
  expect(turnsOf(projection, { live: false }).map(({ id }) => id)).toEqual(["one", "four"]);
  expect(projection.state.facts).toMatchObject({ id: FORK, forkedFromId: THREAD });
});

test("a thread stays as old as it was when it is reverted", async () => {
  const home = temporaryFolder();
  const first = put({ home, threadId: THREAD }, FIRST);
  const revert = put({ home, threadId: THREAD, rolloutId: REVERT, firstOrdinal: 3, at: 60_000 }, [
    meta({ createdAtMs: NOW + 60_000, historyBase: base(THREAD, 3, FIRST) }),
  ]);
  const projection = await foldAll(
    readLineage(
      plainFiles,
      [first, revert].map((path) => ({ path, to: null })),
    ),
  );
  expect(projection.state.facts.createdAtMs).toBe(NOW);
});
