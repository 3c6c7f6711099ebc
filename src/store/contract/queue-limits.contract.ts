import { expect, test } from "vitest";
import { newRow, ROOMY, textParams, WHOLE } from "../queue-row.fixture.ts";
import { acquireFence, addAll, claimed, STARTED, T, visible } from "./queue.fixture.ts";
import type { CreateHarness } from "./store-harness.fixture.ts";

/** The limits of a queue and of its pages. */
export function queueLimitsContract(createHarness: CreateHarness): void {
  /** A row with this many bytes more than one with an empty text. */
  const sized = (rowId: string, bytes: number) => newRow(rowId, { params: { text: "x".repeat(bytes - 11) } });

  test("rejects rows beyond the row limit, which counts rows that are being started", async () => {
    const store = await createHarness().open();
    const { queue } = store;
    const two = { ...ROOMY, maxRows: 2 };
    await queue.add(T, newRow("a"), two);
    await queue.add(T, newRow("b"), two);
    await claimed(queue, await acquireFence(store), "turn");
    expect(await queue.add(T, newRow("c"), two)).toEqual({ kind: "full", limit: "maxRows" });
    expect((await queue.add("other", newRow("c"), two)).kind).toBe("added");
    await queue.remove(T, "b");
    expect((await queue.add(T, newRow("c"), two)).kind).toBe("added");
  });

  test("rejects a row beyond the row size limit, which counts its client id", async () => {
    const { queue } = await createHarness().open();
    const limits = { ...ROOMY, maxRowBytes: 100 };
    const full = { kind: "full", limit: "maxRowBytes" };
    expect((await queue.add(T, sized("a", 100), limits)).kind).toBe("added");
    expect(await queue.add(T, sized("b", 101), limits)).toEqual(full);
    const keyed = (bytes: number) => ({ ...sized("b", bytes), clientUserMessageId: "k" });
    expect(await queue.add(T, keyed(98), limits)).toEqual(full);
    expect((await queue.add(T, keyed(97), limits)).kind).toBe("added");
    // Bytes, not characters.
    expect(await queue.add(T, newRow("c", { params: { text: "€".repeat(30) } }), limits)).toEqual(full);
    expect(await queue.update(T, "a", { params: { text: "x".repeat(90) } }, limits)).toEqual(full);
    expect(await queue.update(T, "b", { params: { text: "x".repeat(86) } }, limits)).toMatchObject({
      kind: "updated",
    });
    expect(await visible(queue)).toEqual(["a pending", "b pending"]);
    expect((await queue.list(T, WHOLE)).rows[0]?.params).toEqual(sized("a", 100).params);
  });

  test("rejects rows beyond the byte limit, which counts rows that are being started", async () => {
    const store = await createHarness().open();
    const { queue } = store;
    const limits = { ...ROOMY, maxBytes: 300 };
    const full = { kind: "full", limit: "maxBytes" };
    for (const rowId of ["a", "b"]) await queue.add(T, sized(rowId, 100), limits);
    const fence = await acquireFence(store);
    await claimed(queue, fence, "turn");
    expect(await queue.add(T, sized("c", 101), limits)).toEqual(full);
    expect(await queue.update(T, "b", sized("b", 201), limits)).toEqual(full);
    expect((await queue.update(T, "b", sized("b", 200), limits)).kind).toBe("updated");
    expect(await queue.add(T, sized("c", 12), limits)).toEqual(full);
    expect((await queue.add("other", sized("c", 300), limits)).kind).toBe("added");
    await queue.ack(fence, "a", "turn", STARTED);
    expect((await queue.add(T, sized("c", 100), limits)).kind).toBe("added");
  });

  test("reads no more bytes than a page may have, and skips no row", async () => {
    const { queue } = await createHarness().open();
    const sizes = { a: 50, b: 50, c: 100, d: 500, e: 12, f: 12 };
    for (const [rowId, bytes] of Object.entries(sizes)) await queue.add(T, sized(rowId, bytes), ROOMY);
    await queue.reorder(T, ["f", "a", "b", "c", "d", "e"]);
    const page = async (offset: number, maxBytes: number, atLeast: 0 | 1, limit = 100) => {
      const { rows, total } = await queue.list(T, { offset, limit, maxBytes, atLeast });
      expect(total).toBe(6);
      return rows.map(({ rowId }) => rowId).join("");
    };
    expect([await page(0, 112, 0), await page(0, 111, 0), await page(0, 1e6, 0, 2)]).toEqual([
      "fab",
      "fa",
      "fa",
    ]);
    // A row that does not fit ends the page; later rows do not fill the gap.
    expect([
      await page(4, 499, 0),
      await page(4, 499, 1),
      await page(4, 0, 1),
      await page(4, 512, 0),
    ]).toEqual(["", "d", "d", "de"]);
    expect([await page(0, 1e6, 1, 0), await page(6, 1e6, 1), await page(99, 0, 1)]).toEqual(["", "", ""]);
  });

  test("lists rows that are larger than a page as outlines, and the others whole", async () => {
    const { queue } = await createHarness().open();
    const large = { params: textParams("x".repeat(5000)) };
    await queue.add(T, newRow("a", { ...large, clientUserMessageId: "key" }), ROOMY);
    await addAll(queue, ["b"]);
    await queue.add(T, newRow("c", { clientUserMessageId: "y".repeat(5000) }), ROOMY);
    const page = { offset: 0, limit: 10, maxBytes: 1000, atLeast: 0 } as const;
    expect((await queue.list(T, page)).rows).toEqual([]);
    const { rows, total } = await queue.list(T, { ...page, isOutline: true });
    expect(total).toBe(3);
    expect(rows).toMatchObject([
      { rowId: "a", params: {}, clientUserMessageId: "key", isOutline: true },
      { rowId: "b", params: textParams("b") },
      { rowId: "c", params: {}, clientUserMessageId: null, isOutline: true },
    ]);
    expect(rows[1]).not.toHaveProperty("isOutline");
    // Rows that fit still count towards the page.
    const small = await queue.list(T, { ...page, maxBytes: 20, isOutline: true });
    expect(small.rows.map((row) => row.isOutline)).toEqual([true, true, true]);
  });
}
