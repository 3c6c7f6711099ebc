/** The wall clock is set back while a turn runs: times stay in order, and durations are correct. */
import { expect, test } from "vitest";
import { createFakeClock } from "../base/fake-clock.fixture.ts";
import type { ItemCompletedNotification, TurnCompletedNotification } from "../protocol/generated/types.ts";
import type { PlainTool as Tool } from "../tools/plain-tool.fixture.ts";
import { createItemReporter } from "./items/item-reporter.ts";
import { callEvent, completed, messageEvents } from "./scripted-model.fixture.ts";
import { startThread } from "./thread.fixture.ts";

const HOUR_MS = 3_600_000;
const START_MS = 1_800_000_000_000;

test("items of a response end after they began", () => {
  const clock = createFakeClock(START_MS);
  const report = createItemReporter({ threadId: "thread", turnId: "turn", emit() {}, clock });
  const item = { type: "contextCompaction", id: "i" } as const;
  report.begin(item);
  clock.set(0);
  clock.advance(20);
  expect(report.complete(item)).toMatchObject({ startedAtMs: START_MS, completedAtMs: START_MS + 20 });
});

test("items and turns end after they began", async () => {
  const clock = createFakeClock(START_MS);
  const passHourBack = () => {
    clock.advance(700);
    clock.set(clock.now() - HOUR_MS);
    clock.advance(50);
  };
  const look: Tool = {
    name: "look",
    spec: { type: "function", name: "look" },
    parallel: false,
    async run({ callId }, { items }) {
      const item = { type: "imageView", id: callId, path: "/image" } as const;
      items.begin(item);
      passHourBack();
      items.complete(item);
      return { output: "seen", success: true };
    },
  };
  const scripts = [
    [callEvent("c", "look", {}), completed],
    [...messageEvents("m", "Hello"), completed],
  ];
  const { thread, begin, seen } = startThread(scripts, [look], { clock });
  await begin("Go");
  await thread.whenIdle();

  const items = seen.flatMap(({ method, params }) =>
    method === "item/completed" ? [(params as ItemCompletedNotification).item] : [],
  );
  expect(items.map(({ type }) => type)).toEqual(["userMessage", "imageView", "agentMessage"]);
  for (const { startedAtMs, completedAtMs } of items)
    expect(completedAtMs ?? 0).toBeGreaterThanOrEqual(startedAtMs ?? Number.POSITIVE_INFINITY);
  const view = items[1];
  expect((view?.completedAtMs ?? 0) - (view?.startedAtMs ?? 0)).toBe(750);
  const end = seen.find(({ method }) => method === "turn/completed")?.params as TurnCompletedNotification;
  expect(end.turn).toMatchObject({
    durationMs: 750,
    startedAt: START_MS / 1000,
    completedAt: START_MS / 1000,
  });
});
