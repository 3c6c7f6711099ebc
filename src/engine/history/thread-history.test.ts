import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { WorldState } from "../../store/lines/line.ts";
import { createTestJournal } from "./journal.fixture.ts";
import { NO_COMMITS, ThreadCommits } from "./journal-commits.ts";
import { NO_RAW_EVENTS, type RawEvents } from "./publisher.ts";
import { type SubmittedItems, ThreadHistory, type UserItem } from "./thread-history.ts";

test("a history of any length is recalled and replaced", async () => {
  const item: ResponseItem = { type: "message", id: "msg_1", role: "user", content: [] };
  const items = Array.from({ length: 1_000_000 }, () => item);
  const history = new ThreadHistory({
    commits: NO_COMMITS,
    raw: NO_RAW_EVENTS,
    createId: () => "id",
    recall: async () => ({ items, submitted: [], sentContext: null, window: null }),
  });
  await history.ready();
  expect(history.items.length).toBe(1_000_000);
  history.replace(items, "summary");
  expect(history.items.length).toBe(1_000_000);
});

const message = (id: string, text: string): ResponseItem => ({
  type: "message",
  id,
  role: "user",
  content: [{ type: "input_text", text }],
});

/** Describes the lines that a history appends. */
function open(submitted: readonly SubmittedItems[] = [], raw: RawEvents = NO_RAW_EVENTS) {
  const lines: string[] = [];
  const journal = createTestJournal({
    async append(bodies) {
      for (const { type, payload } of bodies) {
        const { heddle_submitted: input, heddle_settled: settled } = payload as WorldState;
        const of = input === undefined ? settled : `submitted ${String(input["id"])}`;
        lines.push(of === undefined ? type : of.startsWith("submitted") ? of : `settled ${of}`);
      }
      return { kind: "kept", firstSeq: 0 };
    },
  });
  let ids = 0;
  const history = new ThreadHistory({
    commits: new ThreadCommits(journal, { clock: systemClock, onFault() {} }),
    raw,
    createId: () => `id-${ids++}`,
    recall: async () => ({ items: [message("msg_0", "old")], submitted, sentContext: null, window: null }),
  });
  return { history, lines };
}

test("submitted input is journaled immediately, and enters the history later", async () => {
  const { history, lines } = open();
  await history.ready();
  const submitted = history.submit([message("msg_1", "new")]);
  expect(history.items).toHaveLength(1);
  history.enter("turn", submitted);
  await history.commits.flush();
  expect(lines).toEqual([`submitted ${submitted.id}`, `settled ${submitted.id}`, "response_item"]);
  expect(history.items.at(-1)).toMatchObject({ id: "msg_1" });
});

const judged: UserItem = { type: "userMessage", id: "u", clientId: null, content: [] };
const rawEvents: RawEvents = { items() {}, answered() {} };

test.each([
  ["has no write of its own", null, NO_RAW_EVENTS, 1],
  [
    "is written before the model is asked where hooks have judged it, so that they run once",
    judged,
    NO_RAW_EVENTS,
    3,
  ],
  ["is written before raw events show it", null, rawEvents, 3],
])("input that enters the history %s", async (_, awaitingHooks, raw, written) => {
  const { history, lines } = open([], raw);
  await history.ready();
  const submitted = history.submit([message("msg_1", "new")], awaitingHooks);
  await history.commits.flushGroup();
  history.enter("turn", submitted);
  await history.commits.flushGroup();
  expect(lines).toHaveLength(written);
  await history.commits.flush();
  expect(lines).toEqual([`submitted ${submitted.id}`, `settled ${submitted.id}`, "response_item"]);
});

test("pending submissions are repeated after a compaction, from which a thread is recalled", async () => {
  const { history, lines } = open();
  await history.ready();
  const { id } = history.submit([message("msg_1", "new")]);
  history.replace([message("msg_2", "summary")], "summary");
  await history.commits.flush();
  expect(lines).toEqual([`submitted ${id}`, "compacted", `submitted ${id}`]);
});

test("input deferred by an earlier server enters once, in order", async () => {
  const deferred = [
    { id: "a", items: [message("msg_a", "first")], awaitingHooks: null },
    { id: "b", items: [message("msg_b", "second")], awaitingHooks: null },
  ];
  const { history, lines } = open(deferred);
  await history.ready();
  for (const each of history.takeDeferred()) history.enter("turn", each);
  for (const each of history.takeDeferred()) history.enter("turn", each);
  await history.commits.flush();
  expect(lines).toEqual(["settled a", "response_item", "settled b", "response_item"]);
  expect(history.items.map((item) => ("id" in item ? item.id : null))).toEqual(["msg_0", "msg_a", "msg_b"]);
});
