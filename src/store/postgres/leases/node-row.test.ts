import { expect, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../../base/logger.ts";
import { createDeferred } from "../../../base/tasks.ts";
import { createNodeRow } from "./node-row.ts";

const NODE = { id: "n", pid: 1, host: "here", boot: "", namespace: "", start: null };

/** A database that answers as the test wants. */
function open() {
  const clock = createFakeClock(0);
  const asked: string[] = [];
  let answer = (): Promise<void> => Promise.resolve();
  const query = async (text: string) => {
    asked.push(text.trim().split(" ")[0] ?? "");
    await answer();
    return [];
  };
  const time = { now: () => 0, sql: () => "0", observe() {} };
  const row = createNodeRow(NODE, { database: { query, time }, clock, log: silentLogger });
  return {
    row,
    clock,
    asked,
    answerWith: (next: () => Promise<void>) => {
      answer = next;
    },
    /** Lets what was answered be heard. */
    heard: () => new Promise((resolve) => void setImmediate(resolve)),
  };
}

test("is renewed every two and a half seconds, until the process leaves", async () => {
  const { row, clock, asked, heard } = open();
  await row.joined;
  for (let time = 0; time < 60_000; time += 2500) {
    clock.advance(2500);
    await heard();
  }
  expect(asked.filter((word) => word === "INSERT")).toHaveLength(25);
  expect(row.signal.aborted).toBe(false);
  await row.leave();
  clock.advance(60_000);
  expect(asked.filter((word) => word === "INSERT")).toHaveLength(25);
  expect([asked.at(-1), row.signal.aborted]).toEqual(["DELETE", false]);
});

test("is given up eight seconds after the last good renewal was sent", async () => {
  const { row, clock, answerWith, heard } = open();
  await row.joined;
  const slow = createDeferred<void>();
  answerWith(() => slow.promise);
  clock.advance(2500);
  await heard();
  clock.advance(5000);
  // Answered five seconds after it was sent.
  slow.resolve();
  answerWith(() => Promise.reject(new Error("there is no database")));
  await heard();
  clock.advance(2999);
  await heard();
  expect(row.signal.aborted).toBe(false);
  clock.advance(1);
  expect(row.signal.aborted).toBe(true);
});
