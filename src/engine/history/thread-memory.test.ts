import { expect, test } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { forgetfulRecorder } from "./recorder.ts";
import { ThreadMemory } from "./thread-memory.ts";

test("a history of any length is recalled and replaced", async () => {
  const item: ResponseItem = { type: "message", id: "msg_1", role: "user", content: [] };
  const items = Array.from({ length: 1_000_000 }, () => item);
  const memory = new ThreadMemory({
    threadId: "thread",
    recall: async () => ({ items, told: null, window: null }),
    usage: null,
    usageTurnId: null,
    recorder: forgetfulRecorder,
    createId: () => "id",
    rawEvents: false,
    emit() {},
  });
  await memory.ready();
  expect(memory.items.length).toBe(1_000_000);
  memory.replace(items, "summary");
  expect(memory.items.length).toBe(1_000_000);
});
