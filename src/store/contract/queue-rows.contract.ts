import { expect, test } from "vitest";
import { newRow, ROOMY, textParams, WHOLE } from "../queue-row.fixture.ts";
import { acquireFence, addAll, claimed, STARTED, T, visible } from "./queue.fixture.ts";
import { type CreateHarness, createFinishedThread } from "./store-harness.fixture.ts";

/** Rows: adding, listing, updating and removing. */
export function queueRowsContract(createHarness: CreateHarness): void {
  test("stores rows as given, in the order of their addition", async () => {
    const { queue } = await createHarness().open();
    const odd = JSON.parse(
      '{"__proto__": {"a": 1}, "text": "ä€😀 \\u0000 \\ud800", "n": [1.5, null]}',
    ) as object;
    const first = await queue.add(T, newRow("a", { params: { odd }, clientUserMessageId: "\ud800" }), ROOMY);
    const second = await queue.add(T, newRow("b", { notBeforeMs: 5, clientUserMessageId: "\ud801" }), ROOMY);
    const { rows, ...rest } = await queue.list(T, WHOLE);
    expect([first, second]).toEqual(rows.map((each) => ({ kind: "added", row: each })));
    expect(rest).toEqual({ total: 2, pause: null });
    const [a, b] = rows;
    expect(a).toMatchObject({ threadId: T, rowId: "a", state: "pending", turnId: null, failure: null });
    expect([a?.clientUserMessageId, b?.clientUserMessageId, b?.notBeforeMs]).toEqual(["\ud800", "\ud801", 5]);
    expect(JSON.stringify(a?.params)).toBe(JSON.stringify({ odd }));
    expect([a?.createdAtMs, a?.updatedAtMs].map((at) => typeof at)).toEqual(["number", "number"]);
  });

  test("is listed in pages, separately for each thread", async () => {
    const { queue } = await createHarness().open();
    await addAll(queue, ["a", "b", "c"]);
    await addAll(queue, ["a"], "other");
    const page = async (offset: number, limit: number) => {
      const { rows, total } = await queue.list(T, { ...WHOLE, offset, limit });
      return [...rows.map(({ rowId }) => rowId), total];
    };
    expect([await page(0, 2), await page(2, 2), await page(3, 2), await page(0, 0)]).toEqual([
      ["a", "b", 3],
      ["c", 3],
      [3],
      [3],
    ]);
    expect(await queue.list("none", WHOLE)).toEqual({ rows: [], total: 0, pause: null });
    expect(await queue.threads()).toEqual(["other", T]);
  });

  test("identifies a row by its client id, whatever its state", async () => {
    const harness = createHarness();
    const store = await harness.open();
    const { queue } = store;
    const key = { clientUserMessageId: "key" };
    await queue.add(T, newRow("a", key), ROOMY);
    await queue.update(T, "a", { params: textParams("changed") }, ROOMY);
    const again = await queue.add(T, newRow("b", key), { ...ROOMY, maxRows: 1, maxRowBytes: 1 });
    expect(again).toMatchObject({ kind: "known", row: { rowId: "a", params: textParams("changed") } });
    expect((await queue.add("other", newRow("a", key), ROOMY)).kind).toBe("added");
    const fence = await acquireFence(store);
    await claimed(queue, fence, "turn");
    expect(await queue.add(T, newRow("c", key), ROOMY)).toMatchObject({
      kind: "known",
      row: { turnId: "turn" },
    });
    await queue.ack(fence, "a", "turn", STARTED);
    expect((await queue.add(T, newRow("d", key), ROOMY)).kind).toBe("started");
    for (const rowId of ["e", "f"]) expect((await queue.add(T, newRow(rowId), ROOMY)).kind).toBe("added");
  });

  test("updates a row at its position", async () => {
    const harness = createHarness();
    const { queue } = await harness.open();
    await addAll(queue, ["a", "b"]);
    harness.advance(7);
    const before = (await queue.list(T, WHOLE)).rows[0];
    const timed = await queue.update(T, "a", { params: textParams("new"), notBeforeMs: 9 }, ROOMY);
    expect(timed).toEqual({
      kind: "updated",
      row: {
        ...before,
        params: textParams("new"),
        notBeforeMs: 9,
        updatedAtMs: (before?.createdAtMs ?? 0) + 7,
      },
    });
    const more = { params: { model: "other" } };
    expect(await queue.update(T, "a", more, ROOMY)).toMatchObject({
      row: { notBeforeMs: 9, params: { ...textParams("new"), model: "other" } },
    });
    expect(await queue.update(T, "a", { ...more, notBeforeMs: null }, ROOMY)).toMatchObject({
      row: { notBeforeMs: null },
    });
    expect(await visible(queue)).toEqual(["a pending", "b pending"]);
    expect([await queue.update(T, "x", more, ROOMY), await queue.update("x", "a", more, ROOMY)]).toEqual([
      { kind: "unknownRow" },
      { kind: "unknownRow" },
    ]);
  });

  test("finds the first row, and one by its id", async () => {
    const store = await createHarness().open();
    const { queue } = store;
    await addAll(queue, ["a", "b", "c"]);
    await queue.reorder(T, ["b", "c", "a"]);
    const found = async () => [
      await queue.find(T, null),
      await queue.find(T, "b"),
      await queue.find(T, "x"),
      await queue.find("x", "b"),
      await queue.find("x", null),
    ];
    expect(await found()).toEqual(["b", "b", null, null, null]);
    await claimed(queue, await acquireFence(store), "turn");
    expect(await found()).toEqual(["c", null, null, null, null]);
    expect(await queue.ids(T)).toEqual(["c", "a"]);
  });

  test("removes a row once", async () => {
    const { queue } = await createHarness().open();
    await addAll(queue, ["a", "b"]);
    expect([await queue.remove("x", "a"), await queue.remove(T, "a"), await queue.remove(T, "a")]).toEqual([
      false,
      true,
      false,
    ]);
    expect(await visible(queue)).toEqual(["b pending"]);
    await queue.remove(T, "b");
    expect(await queue.threads()).toEqual([]);
  });

  test("accepts a new order that names each row once", async () => {
    const { queue } = await createHarness().open();
    await addAll(queue, ["a", "b", "c"]);
    expect(await queue.reorder(T, ["c", "a", "b"])).toBe(true);
    for (const wrong of [["a", "b"], ["a", "b", "c", "c"], ["a", "b", "b"], ["a", "b", "x"], []])
      expect(await queue.reorder(T, wrong)).toBe(false);
    await addAll(queue, ["d"]);
    expect(await visible(queue)).toEqual(["c pending", "a pending", "b pending", "d pending"]);
    expect(await queue.reorder("none", [])).toBe(true);
  });

  test("is deleted with its thread", async () => {
    const harness = createHarness();
    const store = await harness.open();
    const { queue, threads } = store;
    const threadId = await createFinishedThread(harness, threads, ["t1"]);
    await addAll(queue, ["a"], threadId);
    await addAll(queue, ["b"]);
    await queue.pause(threadId, "why");
    expect((await threads.delete(threadId)).kind).toBe("done");
    expect(await queue.list(threadId, WHOLE)).toEqual({ rows: [], total: 0, pause: null });
    await store.forgetQueue(T);
    expect(await queue.threads()).toEqual([]);
  });
}
