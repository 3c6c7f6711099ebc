import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findRolloutById, findThreadRollout, type WalkOptions, walkRollouts } from "./find-rollouts.ts";
import { temporaryFolder } from "./rollout.fixture.ts";
import { archivedFolder, formatRolloutName, rolloutPath } from "./rollout-name.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 30, 12);

function idAt(ms: number, tail = 0): string {
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail.toString(16).padStart(12, "0")}`;
}

function put(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  return path;
}

function rollout(home: string, threadId: string, createdAtMs: number, rolloutId = threadId): string {
  return put(rolloutPath(home, { threadId, createdAtMs, rolloutId, utcOffsetMinutes: 0 }));
}

async function walk(home: string, options?: WalkOptions): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of walkRollouts(home, options)) paths.push(path);
  return paths;
}

test("files are walked from the newest to the oldest, across days, months and years", async () => {
  const home = temporaryFolder();
  const times = [0, 1, 3, 400].map((days) => START + days * DAY);
  const paths = times.map((ms) => rollout(home, idAt(ms), ms));
  paths.push(rollout(home, idAt(START + 400 * DAY, 1), START + 400 * DAY + 1000));
  put(join(home, "sessions", "2026", "01", "30", "notes.txt"));
  put(join(home, "sessions", "README"));
  expect(await walk(home)).toEqual(paths.toReversed());
});

test("a home without history has no files", async () => {
  expect(await walk(join(temporaryFolder(), "none"))).toEqual([]);
});

test("archived files are a walk of their own", async () => {
  const home = temporaryFolder();
  const id = idAt(START);
  const name = { threadId: id, rolloutId: id, time: "2026-01-30T12-00-00", compressed: true };
  const path = put(join(archivedFolder(home), formatRolloutName(name)));
  expect([await walk(home), await walk(home, { archived: true })]).toEqual([[], [path]]);
  expect(await findThreadRollout(home, id)).toEqual({ path, name, archived: true });
});

test("the file of a thread is the one that its last revert has made", async () => {
  const home = temporaryFolder();
  const id = idAt(START);
  const reverts = [idAt(START + 2 * DAY), idAt(START + 40 * DAY), idAt(START + 40 * DAY, 1)];
  const first = rollout(home, id, START);
  rollout(home, id, START + 2 * DAY, reverts[0]);
  rollout(home, id, START + 40 * DAY, reverts[1]);
  const last = rollout(home, id, START + 40 * DAY, reverts[2]);
  rollout(home, idAt(START + 41 * DAY), START + 41 * DAY);
  expect((await findThreadRollout(home, id.toUpperCase()))?.path).toBe(last);
  expect((await findRolloutById(home, id))?.path).toBe(first);
});

test("a file in a folder older than its id is found all the same", async () => {
  const home = temporaryFolder();
  const id = idAt(START + 100 * DAY);
  const path = rollout(home, id, START);
  expect((await findThreadRollout(home, id))?.path).toBe(path);
  expect(await findThreadRollout(home, idAt(START, 5))).toBeNull();
});

test("a day of many files is walked in order", async () => {
  const home = temporaryFolder();
  const paths = Array.from({ length: 400 }, (_, at) => rollout(home, idAt(START + at * 10), START + at * 10));
  expect((await walk(home)).map((path) => basename(path))).toEqual(
    paths
      .map((path) => basename(path))
      .sort()
      .reverse(),
  );
});
