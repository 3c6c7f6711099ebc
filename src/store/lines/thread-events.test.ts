import { expect, test } from "vitest";
import { notificationRows } from "../../protocol/generated/table.ts";
import { eventToken, parseEventToken } from "../event-token.ts";
import { agentItem, completed, started } from "./lines.fixture.ts";
import { type DurableMethod, eventsOf, nextEventState } from "./thread-events.ts";
import { itemCompleted, turnAborted } from "./turn-lines.ts";

const METHODS: Record<DurableMethod, true> = {
  "turn/started": true,
  "turn/completed": true,
  "item/completed": true,
  "hook/completed": true,
  "thread/tokenUsage/updated": true,
  "thread/reverted": true,
};

test("the durable notifications are those whose rows say so", () => {
  const durable = Object.entries(notificationRows).filter(([, { isDurable }]) => isDurable === true);
  expect(durable.map(([method]) => method).toSorted()).toEqual(Object.keys(METHODS).toSorted());
});

test("a turn that another one follows without an end is completed first, as interrupted", () => {
  const state = nextEventState(null, started("t1"));
  const events = eventsOf("thread", state, started("t2"));
  expect(events.map(({ method, params }) => [method, (params as { turn: { id: string } }).turn.id])).toEqual([
    ["turn/completed", "t1"],
    ["turn/started", "t2"],
  ]);
  expect(eventsOf("thread", state, started("t1"))).toHaveLength(1);
});

test("the end of a turn shows the last message of the agent, if it names it", () => {
  const item = agentItem("m", "Hi");
  const line = itemCompleted({ threadId: "thread", turnId: "t1", item, startedAtMs: 1, completedAtMs: 2 });
  const state = [started("t1"), line].reduce(nextEventState, null);
  const itemsAt = (end: Parameters<typeof eventsOf>[2]) =>
    eventsOf("thread", state, end).flatMap(
      ({ params }) => (params as { turn: { items: unknown[] } }).turn.items,
    );
  expect(itemsAt(completed("t1", "Hi"))).toMatchObject([{ id: "m", text: "Hi" }]);
  expect(itemsAt(completed("t1", "another"))).toEqual([]);
  const cut = { turnId: "t1", startedAt: 1, completedAt: 2, durationMs: 1, reason: "interrupted" };
  expect(itemsAt(turnAborted(cut))).toEqual([]);
});

test("lines that are no events have none, whatever is in them", () => {
  for (const payload of [
    {},
    { type: "item_completed" },
    { type: "token_count", info: 3 },
    { type: "task_started" },
  ])
    expect(eventsOf("thread", null, { type: "event_msg", payload })).toEqual([]);
  expect(eventsOf("thread", null, { type: "world_state", payload: { heddle_hook_run: [] } })).toEqual([]);
});

test("tokens sort as the places that they name, and nothing else is one", () => {
  const places = [
    { generation: 0, seq: 9, index: 1 },
    { generation: 0, seq: 10, index: 0 },
    { generation: 0, seq: 10, index: 2 },
    { generation: 1, seq: 0, index: 0 },
    { generation: 12, seq: 3, index: 0 },
  ];
  const tokens = places.map(eventToken);
  expect(tokens.toSorted()).toEqual(tokens);
  expect(tokens.map(parseEventToken)).toEqual(places);
  for (const text of [
    "",
    "-1",
    "now",
    "0000_0000000010",
    "0000_0000000010_10",
    "0000_000000001x_0",
    " 0000_0000000010_0",
  ])
    expect(parseEventToken(text)).toBeNull();
});
