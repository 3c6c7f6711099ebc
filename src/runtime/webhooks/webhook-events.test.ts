import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TEST_EVENT, WEBHOOK_EVENTS } from "./webhook-events.ts";

test("the page of webhooks has a row for each event, and no other", () => {
  const page = readFileSync("docs/webhooks.md", "utf8");
  const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z]+)` /gm)].map(([, type]) => type);
  expect(rows).toEqual([...Object.keys(WEBHOOK_EVENTS), TEST_EVENT]);
});
