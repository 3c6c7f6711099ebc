import { expect, test } from "vitest";
import { createTimeSlices } from "../../base/time-slices.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import type { HistoryReader, ItemRow } from "./history-reader.ts";
import { readSegmentItems } from "./segment-items.ts";

const SPAN = { segmentId: "s", fromSeq: 0, toSeq: 10_000, isLast: true };

/** Items on consecutive lines, one of which cannot be read. */
function readerOf(count: number): Pick<HistoryReader, "rows" | "readItems"> {
  const all = Array.from(
    { length: count },
    (_, seq) => ({ turnId: `t${seq % 3}`, itemId: `${seq}`, seq }) as ItemRow,
  );
  return {
    rows: {
      items: async ({ fromSeq, toSeq, limit }) =>
        all.filter(({ seq }) => seq >= fromSeq && seq < toSeq).slice(0, limit),
    } as Partial<HistoryReader["rows"]> as HistoryReader["rows"],
    readItems: async (_segmentId, rows) =>
      rows.map(({ itemId }) => (itemId === "7" ? null : ({ id: itemId } as ThreadItem))),
  };
}

test.each([0, 1, 255, 256, 257, 512, 1000])(
  "%i items are each read once, by turn and in order",
  async (count) => {
    const found = await readSegmentItems(
      readerOf(count),
      SPAN,
      createTimeSlices(() => 0),
    );
    const ids = ["t0", "t1", "t2"].map((turnId) => (found.get(turnId) ?? []).map(({ id }) => Number(id)));
    const expected = [0, 1, 2].map((turn) =>
      Array.from({ length: count }, (_, seq) => seq).filter((seq) => seq % 3 === turn && seq !== 7),
    );
    expect(ids).toEqual(expected);
  },
);

test("items beyond the span are not read", async () => {
  const found = await readSegmentItems(
    readerOf(20),
    { ...SPAN, fromSeq: 3, toSeq: 6 },
    createTimeSlices(() => 0),
  );
  expect([...found.values()].flat().map(({ id }) => id)).toEqual(["3", "4", "5"]);
});
