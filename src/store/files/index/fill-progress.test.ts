import { expect, test } from "vitest";
import { createFillProgress } from "./backlog.ts";

function createHistoryHarness() {
  const lines: string[] = [];
  const note = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const log = { error: note("error"), warn: note("warn"), info: note("info"), debug: note("debug") };
  const backlog = { files: 0 };
  let now = 0;
  const progress = createFillProgress({ backlog, log, now: () => now });
  const step = (files: number, atMs: number): void => {
    backlog.files = files;
    now = atMs;
    progress.report();
  };
  return { progress, step, lines };
}

test("who waits is told every two seconds how far it is; otherwise only who asked for such words", () => {
  const { progress, step, lines } = createHistoryHarness();
  step(900, 10_000);
  step(800, 11_900);
  const done = progress.wait();
  step(700, 12_100);
  step(600, 13_000);
  step(500, 14_200);
  done();
  step(100, 16_300);
  step(0, 19_000);
  expect(lines).toEqual([
    "error history is being indexed: 200 of 900 files",
    "error history is being indexed: 400 of 900 files",
    "info history is being indexed: 800 of 900 files",
  ]);
});

test("nothing is said of what takes no time, each time anew", () => {
  const { progress, step, lines } = createHistoryHarness();
  const done = progress.wait();
  step(90, 0);
  step(0, 1500);
  step(90, 60_000);
  step(10, 61_500);
  done();
  expect(lines).toEqual([]);
});
