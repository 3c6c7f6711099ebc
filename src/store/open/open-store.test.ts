import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { createFinishedThread, originWith } from "../contract/store-harness.fixture.ts";
import { describeStoreFault } from "./describe-store-fault.ts";
import { openStore } from "./open-store.ts";
import { homeInFiles } from "./store-address.ts";

const createId = createUuidSource(systemClock);
const OPTIONS = { clock: systemClock, log: silentLogger, createId };
const GROUND = {
  createId,
  now: () => Date.now(),
  advance() {},
  origin: () => originWith({ now: Date.now(), createId }),
};

function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), "heddle-open-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

test("the folder of a home is a store in files", async () => {
  const home = temporaryHome();
  const store = await openStore(home, { ...OPTIONS, files: { lockFiles: false } });
  const threadId = await createFinishedThread(GROUND, store.threads, ["t1"]);
  const { location = null } = (await store.threads.read(threadId)) ?? {};
  await store.close();
  expect(store.files?.resolve("x")).toBe(join(home, "x"));
  expect(location).toMatch(home);
  expect(existsSync(location ?? "")).toBe(true);
});

test.each(["memory", "memory:"])("%s is a store that writes no file", async (where) => {
  const home = temporaryHome();
  const store = await openStore(where, OPTIONS);
  const threadId = await createFinishedThread(GROUND, store.threads, ["t1"]);
  expect([store.files, (await store.threads.read(threadId))?.location]).toEqual([null, null]);
  await store.close();
  expect(readdirSync(home)).toEqual([]);
});

test.each([
  ["postgres:", "the address of the store is not a URL such as postgres://host/database"],
  ["postgres://user:secret@:1:2/", "the address of the store is not a URL such as postgres://host/database"],
  [
    "redis://localhost",
    'this version cannot keep threads in "redis:": use the folder of a home, postgres://, or memory:',
  ],
])("%s is refused in words", async (where, words) => {
  await expect(openStore(where, OPTIONS)).rejects.toThrow(words);
});

test("what works on files says so of another address", () => {
  expect(() => homeInFiles("memory:", "heddle gc")).toThrow(
    "heddle gc needs threads that are kept in files, and memory: has none",
  );
  expect(() => homeInFiles("postgres://user:secret@host:1/name?sslmode=require", "heddle gc")).toThrow(
    "heddle gc needs threads that are kept in files, and postgres://host:1/name has none",
  );
});

test("faults of the database are worded by the store that has one", () => {
  const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  expect([describeStoreFault("/home", full), describeStoreFault("memory:", full)]).toEqual([
    "cannot use /home/heddle.sqlite: database or disk is full; free some space there",
    null,
  ]);
});
