import { expect, test } from "vitest";
import { wantsEvent } from "./wants-event.ts";
import type { AnnouncedThread } from "./webhook-events.ts";

const THREAD: AnnouncedThread = {
  threadId: "t",
  name: "nightly build 7",
  cwd: "/home/me/app",
  source: "exec",
};
const NO_FILTER = { folders: [], names: [], sources: [] };

test.each([
  [{}, true],
  [{ folders: ["/home/me"] }, true],
  [{ folders: ["/home/me/app/"] }, true],
  [{ folders: ["/"] }, true],
  [{ folders: ["/home/me/ap"] }, false],
  [{ folders: ["/other", "/home/me/app"] }, true],
  [{ names: ["nightly*"] }, true],
  [{ names: ["*build*7"] }, true],
  [{ names: ["nightly build 7"] }, true],
  [{ names: ["nightly"] }, false],
  [{ names: ["*7*build*"] }, false],
  [{ names: ["nightly build 7*7"] }, false],
  [{ sources: ["exec", "cli"] }, true],
  [{ sources: ["vscode"] }, false],
  [{ folders: ["/home/me"], sources: ["vscode"] }, false],
])("a filter %j", (filter, expected) => {
  const endpoint = { events: null, filter: { ...NO_FILTER, ...filter } };
  expect(wantsEvent(endpoint, "turn.ended", THREAD)).toBe(expected);
});

test("only the chosen events are wanted", () => {
  const endpoint = { events: new Set(["turn.failed"] as const), filter: NO_FILTER };
  expect(wantsEvent(endpoint, "turn.failed", THREAD)).toBe(true);
  expect(wantsEvent(endpoint, "turn.ended", THREAD)).toBe(false);
});

test("an event of no thread passes only without a filter, and a thread without a name has none that matches", () => {
  const filter = { ...NO_FILTER, names: ["*"] };
  expect(wantsEvent({ events: null, filter: NO_FILTER }, "schedule.missed", null)).toBe(true);
  expect(wantsEvent({ events: null, filter }, "schedule.missed", null)).toBe(false);
  expect(wantsEvent({ events: null, filter }, "turn.ended", { ...THREAD, name: null })).toBe(false);
});
