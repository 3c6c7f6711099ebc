import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import type { ModelEvent } from "../../model/model.ts";
import type { NewWait } from "../../store/waits.ts";
import { completed, messageEvents, type Script } from "../scripted-model.fixture.ts";
import { startThread } from "../thread.fixture.ts";
import { type HeldWait, MAX_WAITS, type WaitLog } from "./limit-wait.ts";

const LIMIT_MS = 30_000;
const SPREAD_MS = 500;
const answer: Script = [...messageEvents("m", "hi"), completed];

/** Keeps one wait in memory. */
function createLog(suspends: boolean) {
  const begun: NewWait[] = [];
  let stored: NewWait | null = null;
  const log: WaitLog = {
    suspends: () => suspends,
    spreadMs: () => SPREAD_MS,
    async begin(wait) {
      begun.push(wait);
      stored = wait;
      const held: HeldWait = {
        wait: { ...wait, threadId: "thread", sinceMs: 0 },
        isOver: false,
        release: async () => void (stored = null),
      };
      return held;
    },
  };
  return { log, begun, stored: () => stored };
}

/** A thread whose provider reports so many limits, each of which ends `LIMIT_MS` after the one before, and then answers. */
function openLimited(limits: number, { suspends = true, before = [] as readonly Script[] } = {}) {
  const clock = createFakeClock();
  const start = clock.now();
  const error = {
    message: "used up",
    codexErrorInfo: "usageLimitExceeded",
    additionalDetails: null,
    misalignment: null,
  } as const;
  const scripts = Array.from({ length: limits }, (_, nth): Script => {
    const resetsAtMs = start + (nth + 1) * (LIMIT_MS + SPREAD_MS) - SPREAD_MS;
    const failed: ModelEvent = { type: "failed", error, cause: { kind: "usageLimit", resetsAtMs } };
    return [failed];
  });
  const waits = createLog(suspends);
  const all = [...before, ...scripts, answer, answer];
  const started = startThread(all, [], { clock, setup: { waits: waits.log } });
  const pass = async (): Promise<void> => {
    await clock.timer(LIMIT_MS + SPREAD_MS);
    clock.advance(LIMIT_MS + SPREAD_MS);
  };
  const last = () => started.seen.findLast(({ method }) => method === "turn/completed")?.params;
  return { ...started, ...waits, clock, start, pass, last };
}

describe("a usage limit", () => {
  test("suspends the turn, which continues once at the end with one request", async () => {
    const { begin, thread, clock, model, start, stored, seen, last } = openLimited(1);
    const turnId = await begin("one");
    await clock.timer(LIMIT_MS + SPREAD_MS);
    expect(thread.waiting()).toMatchObject({ reason: "usageLimit", turnId, attempt: 1, message: "used up" });
    expect(thread.status()).toEqual({ type: "active", activeFlags: [] });
    expect(stored()).toMatchObject({ untilMs: start + LIMIT_MS + SPREAD_MS, turn: { turnId } });
    const params = expect.objectContaining({ willRetry: true, turnId }) as unknown;
    expect(seen).toContainEqual({ method: "error", params });
    clock.advance(LIMIT_MS + SPREAD_MS - 1);
    expect(model.requests.length).toBe(1);
    clock.advance(1);
    await thread.whenIdle();
    expect([model.requests.length, stored(), thread.waiting()]).toEqual([2, null, null]);
    expect(last()).toMatchObject({ turn: { id: turnId, status: "completed" } });
  });

  test(`suspends it ${MAX_WAITS} times in a row, and then fails it with the last error`, async () => {
    const { begin, thread, model, begun, stored, pass, last } = openLimited(MAX_WAITS + 1);
    await begin("one");
    for (let nth = 0; nth < MAX_WAITS; nth += 1) await pass();
    await thread.whenIdle();
    expect(begun.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect([model.requests.length, stored()]).toEqual([MAX_WAITS + 1, null]);
    expect(last()).toMatchObject({
      turn: { status: "failed", error: { codexErrorInfo: "usageLimitExceeded" } },
    });
  });

  test("can be interrupted", async () => {
    const { begin, thread, clock, model, stored, last } = openLimited(1);
    await begin("one");
    await clock.timer(LIMIT_MS + SPREAD_MS);
    (await thread.interrupt()).begin();
    await thread.whenIdle();
    expect([model.requests.length, stored()]).toEqual([1, null]);
    expect(last()).toMatchObject({ turn: { status: "interrupted" } });
  });

  test("is not cut short by a message of the user, which the next request has", async () => {
    const { begin, thread, say, clock, model, pass, told } = openLimited(1);
    await begin("one");
    await clock.timer(LIMIT_MS + SPREAD_MS);
    (await thread.steer(say("more"))).begin();
    expect([model.requests.length, thread.waiting()?.reason]).toEqual([1, "usageLimit"]);
    await pass();
    await thread.whenIdle();
    expect(told(1)).toEqual(["user: one", "user: more"]);
  });

  test("leaves the turn to a later process when the thread is suspended", async () => {
    const { begin, thread, clock, model, stored, last } = openLimited(1);
    await begin("one");
    await clock.timer(LIMIT_MS + SPREAD_MS);
    expect(thread.isOnlyWaiting).toBe(true);
    await thread.suspend();
    expect([model.requests.length, last()]).toEqual([1, undefined]);
    expect(stored()).toMatchObject({ attempt: 1 });
  });

  test("fails a turn that does not outlive its process", async () => {
    const { begin, thread, begun, last } = openLimited(1, { suspends: false });
    await begin("one");
    await thread.whenIdle();
    expect(begun).toEqual([]);
    expect(last()).toMatchObject({ turn: { status: "failed" } });
  });
});
