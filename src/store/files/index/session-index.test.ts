import { appendFileSync, closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeThread } from "../../contract/world.fixture.ts";
import type { FileThreadStore } from "../threads/file-thread-store.ts";
import { createGround, type Ground, sqliteIndex } from "../threads/history.fixture.ts";

function openGround(): [Ground, FileThreadStore] {
  const ground = createGround();
  return [ground, ground.open({ index: sqliteIndex(ground.home) })];
}

test("names are written where other programs look for them, and read from there", async () => {
  const [ground, history] = openGround();
  const threadId = await makeThread(ground, history, ["t1"]);
  await history.rename(threadId, "Mine");
  const file = join(ground.home, "session_index.jsonl");
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
  const [ground, history] = openGround();
  const [threadId, kept] = [
    await makeThread(ground, history, ["t1"]),
    await makeThread(ground, history, ["t1"]),
  ];
  await history.rename(threadId, "Größe");
  const path = join(ground.home, "session_index.jsonl");
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
