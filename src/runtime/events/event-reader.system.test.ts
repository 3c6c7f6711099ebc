import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { type EventPlace, FIRST_PLACE } from "../../store/event-token.ts";
import { createHistoryHarness, sqliteIndex } from "../../store/files/threads/history.fixture.ts";
import { agentItem, completed, started } from "../../store/lines/lines.fixture.ts";
import { itemCompleted } from "../../store/lines/turn-lines.ts";
import { createEventReader } from "./event-reader.ts";
import { readStoredEvents } from "./stored-events.ts";

const ITEMS = 2000;
const PAGE = { events: 50, bytes: 1024 * 1024 };

/** All bytes that this process has read. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

test.skipIf(process.platform !== "linux")(
  "pages of one long turn are read once each, and are the same as one read of all",
  { timeout: 60_000 },
  async () => {
    const harness = createHistoryHarness();
    const threads = harness.open({ index: sqliteIndex(harness.home) });
    const journal = threads.create(harness.origin());
    const { threadId } = journal;
    const items = Array.from({ length: ITEMS }, (_, at) =>
      itemCompleted({
        threadId,
        turnId: "t",
        item: agentItem(`m${at}`, "x".repeat(500)),
        startedAtMs: 1,
        completedAtMs: 2,
      }),
    );
    await journal.append([started("t"), ...items, completed("t", "x".repeat(500))]);
    const { size } = statSync(journal.location ?? "");
    const whole = [];
    for await (const event of readStoredEvents(threads, threadId, { place: FIRST_PLACE }).events())
      whole.push(event);
    expect(whole).toHaveLength(ITEMS + 2);

    const reader = createEventReader(async () => threads);
    const paged = [];
    const before = bytesRead();
    let place: EventPlace = FIRST_PLACE;
    for (let isComplete = false; !isComplete; ) {
      const page = await reader.read(threadId, place, PAGE);
      paged.push(...page.events);
      ({ isComplete } = page);
      ({ place } = page.end);
    }
    expect(paged).toEqual(whole);
    // Files are read in blocks, which are larger than a page.
    expect(bytesRead() - before).toBeLessThan(size * 8);
  },
);
