import { expect, test } from "vitest";
import type { History } from "../../store/history/history.ts";
import { missingThread, type Refusal, refuse } from "../../store/history/refusal.ts";
import { readWholeHistory } from "./whole-history.ts";

const refusing = (refusal: Refusal) => ({ turns: async () => refusal }) as unknown as History;

test("a thread that has no file yet is empty, and one that cannot be read is not", async () => {
  expect(await readWholeHistory(refusing(missingThread("t")), "t")).toEqual([]);
  const unreadable = refusing(refuse("unreadable", "line 3 cannot be read"));
  await expect(readWholeHistory(unreadable, "t")).rejects.toThrow("line 3 cannot be read");
});
