import { expect, test } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { NO_COMMITS } from "./journal-commits.ts";
import { NO_RAW_EVENTS } from "./publisher.ts";
import { ThreadHistory } from "./thread-history.ts";

test("a history of any length is recalled and replaced", async () => {
  const item: ResponseItem = { type: "message", id: "msg_1", role: "user", content: [] };
  const items = Array.from({ length: 1_000_000 }, () => item);
  const history = new ThreadHistory({
    commits: NO_COMMITS,
    raw: NO_RAW_EVENTS,
    createId: () => "id",
    recall: async () => ({ items, submitted: [], told: null, window: null }),
  });
  await history.ready();
  expect(history.items.length).toBe(1_000_000);
  history.replace(items, "summary");
  expect(history.items.length).toBe(1_000_000);
});
