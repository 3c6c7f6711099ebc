/** Pages through the turns and items of a thread. */
import { functionCallDone, messageReply, reply, unfinishedReply } from "../../support/model-events.ts";
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
const WORDS = ["one", "two", "three", "four", "five"];
const STORED: StoredThread = { id: threadId(1), at: "2026-01-05T12:00:01", said: WORDS };
const LEGACY: StoredThread = { ...STORED, id: threadId(2), mode: "legacy" };
/** A thread in which each of these words was said and answered. */
const model = WORDS.map((word) => messageReply(`You said: ${word}`, { id: word }));
const madeThread = [...withThread(), ...WORDS.flatMap((word) => [turn(word, {}, { as: word }), completed])];
const turnOf = (word: string) => `{{${word}.result.turn.id}}`;
const WORD_ANSWERS = [WORDS.map((word) => `response ${word}`)];
type More = Readonly<Record<string, unknown>>;

const turns = (id: string, more: More, as: string): Step =>
  call("thread/turns/list", { threadId: id, ...more }, { as });
const items = (id: string, more: More, as: string): Step =>
  call("thread/items/list", { threadId: id, ...more }, { as });
const timeline = (id: string, more: More, as: string): Step =>
  call("thread/timeline/list", { threadId: id, ...more }, { as });

const readItems = (id: string, itemIds: readonly string[], as: string): Step =>
  call("thread/items/read", { threadId: id, turnId: turnOf("two"), itemIds }, { as });

const turnPages = (id: string): readonly Step[] => [
  turns(id, {}, "default"),
  turns(id, { itemsView: "notLoaded" }, "bare"),
  turns(id, { itemsView: "full" }, "full"),
  turns(id, { limit: 2 }, "first"),
  turns(id, { limit: 2, cursor: "{{first.result.nextCursor}}" }, "next"),
  turns(id, { limit: 2, sortDirection: "asc", cursor: "{{next.result.backwardsCursor}}" }, "back"),
  turns(id, { limit: 2, sortDirection: "asc" }, "oldest"),
  turns(id, { limit: 9, sortDirection: "asc", cursor: "{{oldest.result.nextCursor}}" }, "rest"),
  turns(id, { limit: 0 }, "at least one"),
];

export const threadPageScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-pages/turns",
    about: "Turns are paged through from the newest or the oldest on, with as much of them as is asked for.",
    model,
    freeOrder: WORD_ANSWERS,
    volatile: CURSORS,
    steps: [...madeThread, ...turnPages(THREAD)],
  }),
  turnScenario({
    name: "thread-pages/turns-of-a-legacy-thread",
    about: "The turns of a thread in the old form are paged through as well.",
    files: storedFiles(LEGACY),
    volatile: CURSORS,
    steps: [initialize(), ...turnPages(LEGACY.id)],
  }),
  turnScenario({
    name: "thread-pages/unknown-files",
    about: "The turns of a file that no server has seen before.",
    files: storedFiles(STORED),
    volatile: CURSORS,
    steps: [
      initialize(),
      turns(STORED.id, { limit: 2 }, "turns"),
      items(STORED.id, { limit: 2 }, "items"),
      call("thread/read", { threadId: STORED.id, includeTurns: true }, { as: "read" }),
    ],
  }),
  turnScenario({
    name: "thread-pages/items",
    about: "Items are paged through in a thread or in one of its turns, from a cursor or from an item on.",
    model,
    freeOrder: WORD_ANSWERS,
    volatile: CURSORS,
    steps: [
      ...madeThread,
      items(THREAD, {}, "all"),
      items(THREAD, { limit: 3 }, "first"),
      items(THREAD, { limit: 3, cursor: "{{first.result.nextCursor}}" }, "next"),
      items(THREAD, { limit: 3, sortDirection: "desc" }, "newest"),
      items(THREAD, { limit: 3, sortDirection: "desc", cursor: "{{newest.result.nextCursor}}" }, "before"),
      items(THREAD, { limit: 9, cursor: "{{next.result.backwardsCursor}}" }, "from a cursor back"),
      items(THREAD, { turnId: turnOf("two") }, "of a turn"),
      items(THREAD, { turnId: UNKNOWN }, "of no turn"),
      items(THREAD, { cursor: { type: "item", itemId: "msg_two" } }, "from an item of no turn"),
      items(THREAD, { turnId: turnOf("two"), cursor: { type: "item", itemId: "msg_two" } }, "from an item"),
      items(
        THREAD,
        { turnId: turnOf("two"), sortDirection: "desc", cursor: { type: "item", itemId: "msg_two" } },
        "back from an item",
      ),
      items(THREAD, { turnId: turnOf("two"), cursor: { type: "item", itemId: "nothing" } }, "from no item"),
      items(
        THREAD,
        { turnId: turnOf("one"), cursor: { type: "item", itemId: "msg_two" } },
        "from an item elsewhere",
      ),
      readItems(THREAD, ["msg_two"], "by id"),
      readItems(THREAD, ["msg_one", "nothing", "msg_two"], "by other ids"),
      readItems(THREAD, [], "by no ids"),
      readItems(THREAD, Array<string>(101).fill("msg_two"), "by too many ids"),
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
    races: [...INTERRUPT_RACES, "item/commandExecution/outputDelta"],
    model: [
      reply("1", functionCallDone("call_1", "exec_command", { cmd: "echo hello" })),
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
