/** Pages through the turns and items of a thread. */
import { functionCallReply, messageReply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, notification } from "../steps.ts";
import {
  completed,
  INTERRUPT_RACES,
  THREAD,
  turn,
  turnScenario,
  UNCONFINED,
  withThread,
} from "../turn-steps.ts";
import { CURSORS } from "./thread-list.ts";
import { type StoredThread, storedFiles, threadId, turnId } from "./thread-list-files.ts";

const UNKNOWN = "00000000-0000-7000-8000-000000000000";
const STORED: StoredThread = {
  id: threadId(1),
  at: "2026-01-05T12:00:01",
  said: ["one", "two", "three", "four", "five"],
};
const LEGACY: StoredThread = { ...STORED, id: threadId(2), mode: "legacy" };
type More = Readonly<Record<string, unknown>>;

const turns = (id: string, more: More, as: string): Step =>
  call("thread/turns/list", { threadId: id, ...more }, { as });
const items = (id: string, more: More, as: string): Step =>
  call("thread/items/list", { threadId: id, ...more }, { as });
const timeline = (id: string, more: More, as: string): Step =>
  call("thread/timeline/list", { threadId: id, ...more }, { as });

export const threadPageScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-pages/turns",
    about: "Turns are paged through from the newest or the oldest on, with as much of them as is asked for.",
    files: storedFiles(STORED, LEGACY),
    volatile: CURSORS,
    steps: [
      initialize(),
      ...[1, 2].flatMap((number) => [
        turns(threadId(number), {}, `default ${number}`),
        turns(threadId(number), { itemsView: "notLoaded" }, `bare ${number}`),
        turns(threadId(number), { itemsView: "full" }, `full ${number}`),
        turns(threadId(number), { limit: 2 }, `first ${number}`),
        turns(
          threadId(number),
          { limit: 2, cursor: `{{first ${number}.result.nextCursor}}` },
          `next ${number}`,
        ),
        turns(
          threadId(number),
          { limit: 2, sortDirection: "asc", cursor: `{{next ${number}.result.backwardsCursor}}` },
          `back ${number}`,
        ),
        turns(threadId(number), { limit: 2, sortDirection: "asc" }, `oldest ${number}`),
        turns(
          threadId(number),
          { limit: 9, sortDirection: "asc", cursor: `{{oldest ${number}.result.nextCursor}}` },
          `rest ${number}`,
        ),
        turns(threadId(number), { limit: 0 }, `at least one ${number}`),
      ]),
    ],
  }),
  turnScenario({
    name: "thread-pages/items",
    about: "Items are paged through in a thread or in one of its turns, from a cursor or from an item on.",
    files: storedFiles(STORED),
    volatile: CURSORS,
    steps: [
      initialize(),
      items(threadId(1), {}, "all"),
      items(threadId(1), { limit: 3 }, "first"),
      items(threadId(1), { limit: 3, cursor: "{{first.result.nextCursor}}" }, "next"),
      items(threadId(1), { limit: 3, sortDirection: "desc" }, "newest"),
      items(
        threadId(1),
        { limit: 3, sortDirection: "desc", cursor: "{{newest.result.nextCursor}}" },
        "before",
      ),
      items(threadId(1), { limit: 9, cursor: "{{next.result.backwardsCursor}}" }, "from a cursor back"),
      items(threadId(1), { turnId: turnId(1, 2) }, "of a turn"),
      items(threadId(1), { turnId: UNKNOWN }, "of no turn"),
      items(
        threadId(1),
        { limit: 2, cursor: { type: "item", itemId: `${turnId(1, 3)}-user` } },
        "from an item",
      ),
      items(
        threadId(1),
        { limit: 2, sortDirection: "desc", cursor: { type: "item", itemId: `${turnId(1, 3)}-user` } },
        "back from an item",
      ),
      items(threadId(1), { cursor: { type: "item", itemId: "nothing" } }, "from no item"),
      call(
        "thread/items/read",
        {
          threadId: threadId(1),
          turnId: turnId(1, 2),
          itemIds: [`${turnId(1, 2)}-agent`, `${turnId(1, 2)}-user`],
        },
        { as: "by id" },
      ),
      call(
        "thread/items/read",
        { threadId: threadId(1), turnId: turnId(1, 2), itemIds: [`${turnId(1, 1)}-agent`, "nothing"] },
        { as: "by other ids" },
      ),
      call(
        "thread/items/read",
        { threadId: threadId(1), turnId: turnId(1, 2), itemIds: [] },
        { as: "by no ids" },
      ),
    ],
  }),
  turnScenario({
    name: "thread-pages/timeline",
    about: "The timeline tells turns and items in the order in which they were recorded.",
    files: storedFiles(STORED),
    volatile: CURSORS,
    steps: [
      initialize(),
      timeline(threadId(1), {}, "all"),
      timeline(threadId(1), { limit: 3 }, "first"),
      timeline(threadId(1), { limit: 3, cursor: "{{first.result.nextCursor}}" }, "next"),
      timeline(threadId(1), { limit: 0 }, "at least one"),
    ],
  }),
  turnScenario({
    name: "thread-pages/legacy",
    about: "Threads in the old form have turns, but no items and no timeline to page through.",
    files: storedFiles(LEGACY),
    steps: [
      initialize(),
      items(threadId(2), {}, "items"),
      call(
        "thread/items/read",
        { threadId: threadId(2), turnId: turnId(2, 1), itemIds: ["item-1"] },
        { as: "items by id" },
      ),
      timeline(threadId(2), {}, "timeline"),
      call("thread/searchOccurrences", { threadId: threadId(2), searchTerm: "one" }, { as: "occurrences" }),
    ],
  }),
  turnScenario({
    name: "thread-pages/refused",
    about: "Threads without pages, and cursors that lead nowhere.",
    files: storedFiles(STORED),
    steps: [
      initialize(),
      ...["abc", UNKNOWN].flatMap((id) => [
        turns(id, {}, `turns of ${id}`),
        items(id, {}, `items of ${id}`),
        timeline(id, {}, `timeline of ${id}`),
        call(
          "thread/items/read",
          { threadId: id, turnId: turnId(1, 1), itemIds: ["x"] },
          { as: `read of ${id}` },
        ),
      ]),
      turns(threadId(1), { cursor: "zzz" }, "bad cursor of turns"),
      items(threadId(1), { cursor: "zzz" }, "bad cursor of items"),
      timeline(threadId(1), { cursor: "zzz" }, "bad cursor of the timeline"),
      call("thread/start", { ephemeral: true }, { as: "ephemeral", settles: true }),
      ...["ephemeral", "thread"].flatMap((label) => {
        const id = `{{${label}.result.thread.id}}`;
        const start = label === "thread" ? [call("thread/start", {}, { as: "thread", settles: true })] : [];
        return [
          ...start,
          turns(id, {}, `${label} turns`),
          items(id, {}, `${label} items`),
          timeline(id, {}, `${label} timeline`),
          call(
            "thread/items/read",
            { threadId: id, turnId: turnId(1, 1), itemIds: ["x"] },
            { as: `${label} read` },
          ),
        ];
      }),
    ],
  }),
  turnScenario({
    name: "thread-pages/made",
    about: "What a turn has told is what its pages show.",
    races: INTERRUPT_RACES,
    model: [
      functionCallReply("call_1", "exec_command", { cmd: "echo hello" }),
      messageReply("Done", { id: "2" }),
      unfinishedReply("Working on"),
    ],
    volatile: [...CURSORS, { message: "response *items*", pointer: "**/durationMs" }],
    steps: [
      ...withThread(UNCONFINED),
      turn("Run it"),
      completed,
      turns(THREAD, {}, "turns"),
      turns(THREAD, { itemsView: "full" }, "full turns"),
      items(THREAD, {}, "items"),
      turn("Go on", {}, { as: "second" }),
      notification("item/agentMessage/delta"),
      turns(THREAD, { itemsView: "full" }, "turns while one runs"),
      items(THREAD, {}, "items while one runs"),
      call("turn/interrupt", { threadId: THREAD, turnId: "" }, { as: "interrupt" }),
      completed,
      turns(THREAD, { itemsView: "full" }, "turns at the end"),
      items(THREAD, { sortDirection: "desc" }, "items at the end"),
    ],
  }),
];
