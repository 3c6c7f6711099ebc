import { describe, expect, onTestFinished, test } from "vitest";
import type { Store, ThreadRecord } from "./store.ts";

/** What every store promises, whatever it is made of. */
export function storeContract(name: string, open: () => Promise<Store>): void {
  async function start(): Promise<Store> {
    const store = await open();
    onTestFinished(() => store.close());
    return store;
  }

  describe(`${name} store`, () => {
    test("keeps a thread's record as it was given", async () => {
      const store = await start();
      const record = threadRecord("a", { preview: "ä€😀 'quoted' \u0000 end" });
      await store.threads.put(record);
      expect(await store.threads.get("a")).toEqual(record);
      expect(await store.threads.get("b")).toBeNull();
    });

    test("replaces the record of a thread that it knows", async () => {
      const store = await start();
      await store.threads.put(threadRecord("a", { preview: "first" }));
      await store.threads.put(threadRecord("a", { preview: "second", updatedAtMs: 9 }));
      expect(await store.threads.get("a")).toEqual(threadRecord("a", { preview: "second", updatedAtMs: 9 }));
    });
  });
}

export function threadRecord(id: string, fields: Partial<ThreadRecord> = {}): ThreadRecord {
  return {
    id,
    createdAtMs: 1,
    updatedAtMs: 2,
    cwd: "/somewhere",
    preview: "hello",
    modelProvider: "demo",
    model: "heddle-demo",
    originator: "test",
    ...fields,
  };
}
