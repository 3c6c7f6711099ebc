import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { refusal } from "../../base/refusal.ts";
import { createMemoryDecisions } from "../../store/memory/memory-decisions.ts";
import type { ThreadRefusal } from "../configuration/thread-refusal.ts";
import { createQuestionWatch, POLL_EVERY_MS } from "./question-watch.ts";

const TIMEOUT_MS = 10_000;
const SUBJECT = { kind: "command", argv: ["make"], cwd: "/" } as const;
const APPROVED = { outcome: "approved", by: { kind: "client", name: "phone" }, reason: null } as const;
const RESULT = { decision: "accept" };

function open({ refused = null, isHeld = false }: { refused?: ThreadRefusal | null; isHeld?: boolean } = {}) {
  const clock = createFakeClock(1_000_000);
  const decisions = createMemoryDecisions(
    { entries: new Map(), answers: new Map(), questions: new Map(), tenants: new Map(), last: 0 },
    { leases: { confirm: async (it) => it }, clock, tenant: "local" },
  );
  const loadedThreads = new Set<string>();
  const log: string[] = [];
  const watch = createQuestionWatch({
    store: async () => ({ decisions, isHeld: async () => isHeld }),
    engine: {
      find(threadId) {
        if (!loadedThreads.has(threadId)) return undefined;
        return { answer: (number) => log.push(`answers ${number} of ${threadId}`) > 0 };
      },
    },
    threads: {
      load: async (threadId) => {
        log.push(`loads ${threadId}`);
        return refused;
      },
    },
    timeoutMs: async () => TIMEOUT_MS,
    clock,
    log: silentLogger,
  });
  return {
    watch,
    log,
    clock,
    loadedThreads,
    async ask(threadId: string, isKept = true) {
      const question = isKept ? { method: "ask", params: {}, subject: SUBJECT } : null;
      const request = { threadId, turnId: "turn", itemId: "item", subject: SUBJECT };
      const asked = await decisions.open({ threadId, ephemeral: true }, request, question);
      if (asked.kind === "fenced") throw new Error("the thread is held elsewhere");
      return { answer: () => decisions.answer(asked.decision, APPROVED, RESULT) };
    },
    /** Lets the watch read once more. */
    async pass(ms = POLL_EVERY_MS) {
      clock.advance(ms);
      await new Promise((resolve) => void setImmediate(resolve));
    },
  };
}

describe("the watch for answers of other processes", () => {
  test("passes an answer on to the loaded thread", async () => {
    const { watch, log, loadedThreads, ask, pass } = open();
    loadedThreads.add("one");
    const question = await ask("one");
    watch.waits();
    await pass();
    expect(log).toEqual([]);
    await question.answer();
    await pass();
    expect(log).toEqual(["answers 1 of one"]);
  });

  test("reads nothing more when no question is open", async () => {
    const { watch, clock, pass } = open();
    watch.waits();
    await pass();
    expect(clock.waiting).toEqual([]);
  });

  test("loads a thread when its question is answered or its time is over, and not before", async () => {
    const { watch, log, ask, pass } = open();
    const question = await ask("one");
    await ask("two");
    await ask("three", false);
    watch.continueThreads();
    await pass();
    expect(log).toEqual([]);
    await question.answer();
    await pass();
    expect(log).toEqual(["loads one"]);
    await pass(TIMEOUT_MS);
    expect(log.slice(1)).toContain("loads two");
    expect(log).not.toContain("loads three");
  });

  test("loads no thread unless it was told to continue threads, or where another process holds it", async () => {
    const here = open();
    await (await here.ask("one")).answer();
    here.watch.waits();
    await here.pass();
    const held = open({ isHeld: true });
    await (await held.ask("one")).answer();
    held.watch.continueThreads();
    await held.pass();
    expect([here.log, held.log]).toEqual([[], []]);
  });

  test("tries again later with a thread that cannot be loaded", async () => {
    const { watch, log, ask, pass } = open({ refused: refusal("unavailable", "no") });
    await (await ask("one")).answer();
    watch.continueThreads();
    await pass();
    await pass();
    expect(log).toEqual(["loads one"]);
    await pass(60_000);
    await pass();
    expect(log).toEqual(["loads one", "loads one"]);
  });

  test("ends with its server", async () => {
    const { watch, log, ask, pass } = open();
    watch.continueThreads();
    await pass();
    watch.close();
    await (await ask("one")).answer();
    await pass(60_000);
    expect(log).toEqual([]);
  });
});
