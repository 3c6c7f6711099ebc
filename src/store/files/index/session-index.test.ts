import { appendFileSync, closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFinishedThread } from "../../contract/store-harness.fixture.ts";
import type { FileThreadStore } from "../threads/file-thread-store.ts";
import { createHistoryHarness, type HistoryHarness, sqliteIndex } from "../threads/history.fixture.ts";

function openGround(): [HistoryHarness, FileThreadStore] {
  const harness = createHistoryHarness();
  return [harness, harness.open({ index: sqliteIndex(harness.home) })];
}

test("names are written where other programs look for them, and read from there", async () => {
  const [harness, history] = openGround();
  const threadId = await createFinishedThread(harness, history, ["t1"]);
  await history.rename(threadId, "Mine");
  const file = join(harness.home, "session_index.jsonl");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    id: threadId,
    thread_name: "Mine",
    updated_at: "2026-11-15T09:00:00.000Z",
  });
  const named = async () => (await history.read(threadId))?.details.name;
  expect(await named()).toBe("Mine");
  appendFileSync(file, `not JSON\n{"id":"${threadId}","thread_name":"Theirs","updated_at":"x"}\n`);
  expect(await named()).toBe("Theirs");
});

test("a deletion takes the names of its thread alone, while others add theirs", async () => {
  const [harness, history] = openGround();
  const [threadId, kept] = [
    await createFinishedThread(harness, history, ["t1"]),
    await createFinishedThread(harness, history, ["t1"]),
  ];
  await history.rename(threadId, "Größe");
  const path = join(harness.home, "session_index.jsonl");
  const theirs = openSync(path, "a");
  onTestFinished(() => closeSync(theirs));
  writeSync(theirs, "not JSON\n");
  await history.rename(threadId, "Other");
  await history.delete(threadId);
  writeSync(theirs, `{"id":"${kept}","thread_name":"Theirs","updated_at":"x"}\n`);
  const lines = readFileSync(path, "utf8").split("\n");
  expect(lines.map((line) => line.trim()).filter((line) => line !== "")).toEqual([
    "not JSON",
    `{"id":"${kept}","thread_name":"Theirs","updated_at":"x"}`,
  ]);
  expect((await history.read(kept))?.details.name).toBe("Theirs");
});
