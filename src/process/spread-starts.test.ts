import { expect, test } from "vitest";
import { createDeferred } from "../base/tasks.ts";
import type { ProcessHost, StartOutcome } from "./process-host.ts";
import { spreadStarts } from "./spread-starts.ts";

const FAILED: StartOutcome = { kind: "failed", error: new Error("no") };

test("what is started at once is spread, and what comes one by one stays with the first", async () => {
  const started: string[] = [];
  const closed: string[] = [];
  const gate = createDeferred<void>();
  const open = (name: string): ProcessHost => ({
    async start() {
      started.push(name);
      await gate.promise;
      return FAILED;
    },
    close: async () => void closed.push(name),
  });
  const host = spreadStarts([open("a"), open("b")]);
  const start = () => host.start({ argv: ["x"], cwd: "/", env: {} }, () => {});
  const all = Array.from({ length: 6 }, start);
  expect(started.toSorted()).toEqual(["a", "a", "a", "b", "b", "b"]);
  gate.resolve();
  expect(await Promise.all(all)).toEqual(all.map(() => FAILED));
  started.length = 0;
  await start();
  await start();
  expect(started).toEqual(["a", "a"]);
  await host.close();
  expect(closed).toEqual(["a", "b"]);
});
