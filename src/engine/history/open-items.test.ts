import { expect, test } from "vitest";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { followItems } from "./open-items.ts";

const item = (type: string, id: string) => ({ type, id }) as ThreadItem;

test("what has begun and not ended is open, but for what is told piece by piece", () => {
  const passed: string[] = [];
  const items = followItems((method) => void passed.push(method));
  const tell = (method: "item/started" | "item/completed", told: ThreadItem) =>
    items.emit(method, { item: told, threadId: "t", turnId: "u" } as never);
  tell("item/started", item("commandExecution", "c1"));
  tell("item/started", item("fileChange", "f1"));
  tell("item/started", item("agentMessage", "m1"));
  tell("item/completed", item("commandExecution", "c1"));
  expect(items.list()).toEqual([item("fileChange", "f1")]);
  items.clear();
  expect([items.list(), passed.length]).toEqual([[], 4]);
});
