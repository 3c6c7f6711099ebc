import { expect, test } from "vitest";
import type { QueueRow } from "../../store/queue.ts";
import { toPage, toRow } from "./queue-entry.ts";

const row = (rowId: string, length: number): QueueRow => ({
  threadId: "thread",
  rowId,
  clientUserMessageId: rowId,
  params: { input: [{ type: "text", text: "x".repeat(length) }] },
  notBeforeMs: null,
  state: "pending",
  turnId: null,
  failure: null,
  createdAtMs: 0,
  updatedAtMs: 0,
});

test("a page has as many entries as one message may carry", () => {
  const ids = (rows: readonly QueueRow[], atLeast: 0 | 1) => toPage(rows, { atLeast }).map(({ id }) => id);
  const small = [row("a", 10), row("b", 10), row("c", 10)];
  expect(ids(small, 0)).toEqual(["a", "b", "c"]);
  // Each is told twice, once for either generation of clients.
  const large = [row("a", 300_000), row("b", 300_000), row("c", 10)];
  expect(ids(large, 0)).toEqual(["a"]);
  const huge = [row("a", 900_000), row("b", 10)];
  expect([ids(huge, 0), ids(huge, 1)]).toEqual([[], ["a"]]);
});

test.each([2 ** 60, -(2 ** 60)])("a time that is none is refused: %d", async (notBefore) => {
  const params = {
    threadId: "t",
    input: [{ type: "text" as const, text: "x", text_elements: [] }],
    notBefore,
  };
  await expect(toRow({ ...params, clientUserMessageId: "c" }, () => "id")).rejects.toThrow(
    "notBefore is no Unix time in seconds",
  );
});
