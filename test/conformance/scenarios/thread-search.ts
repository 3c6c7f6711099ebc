/** Finding words in threads. */
import { messageReply } from "../../support/model-events.ts";
import type { Scenario } from "../scenario.ts";
import { call, initialize } from "../steps.ts";
import { completed, THREAD, turn, turnScenario, withThread } from "../turn-steps.ts";
import { CURSORS } from "./thread-list.ts";
import { type StoredThread, storedFiles, threadId } from "./thread-list-files.ts";

const LONG = `${"before ".repeat(60)}needle${" after".repeat(60)}`;
const STORED: readonly StoredThread[] = [
  { id: threadId(1), at: "2026-01-05T12:00:01", said: ["a needle here", "and one more Needle, needle"] },
  { id: threadId(2), at: "2026-01-05T12:00:02", said: ["NEEDLE"], mode: "legacy" },
  { id: threadId(3), at: "2026-01-06T12:00:03", said: ["nothing"] },
  { id: threadId(4), at: "2026-01-07T12:00:04", said: ["needle"], meta: { source: "exec" } },
  { id: threadId(5), at: "2026-01-08T12:00:05", said: ["needle"], archived: true },
  { id: threadId(6), at: "2026-01-09T12:00:06", said: [LONG] },
  { id: threadId(7), at: "2026-01-10T12:00:07", said: ["first line\nsecond  line with needle\nthird line"] },
];
const search = (searchTerm: string, more: Readonly<Record<string, unknown>>, as: string) =>
  call("thread/search", { searchTerm, ...more }, { as });
const occurrences = (searchTerm: string, more: Readonly<Record<string, unknown>>, as: string) =>
  call("thread/searchOccurrences", { threadId: threadId(1), searchTerm, ...more }, { as });

const places = (searchTerm: string, more: Readonly<Record<string, unknown>>, as: string) =>
  occurrences(searchTerm, { threadId: THREAD, ...more }, as);

export const threadSearchScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-search/threads",
    about: "Threads are found by what was said in them, each with the words around it.",
    files: storedFiles(...STORED),
    volatile: CURSORS,
    steps: [
      initialize(),
      search("needle", {}, "found"),
      search("  needle ", {}, "with blanks"),
      search("You said", { limit: 2 }, "an answer"),
      search("haystack", {}, "not found"),
      search("needle", { archived: true }, "archived"),
      search("needle", { sourceKinds: ["exec"] }, "of a kind"),
      search("needle", { sortDirection: "asc", sortKey: "created_at" }, "oldest first"),
      search("needle", { limit: 2 }, "first page"),
      search("needle", { limit: 2, cursor: "{{first page.result.nextCursor}}" }, "second page"),
    ],
  }),
  turnScenario({
    name: "thread-search/refused",
    about: "A search needs a word, and its own cursors.",
    files: storedFiles(...STORED),
    steps: [
      initialize(),
      search("", {}, "no word"),
      search("  ", {}, "blank"),
      search("needle", { cursor: "zzz" }, "bad cursor"),
      occurrences("", {}, "no word in a thread"),
      occurrences("needle", { cursor: "zzz" }, "bad cursor in a thread"),
      occurrences("needle", { threadId: "abc" }, "bad thread"),
      occurrences("needle", { threadId: "00000000-0000-7000-8000-000000000000" }, "unknown thread"),
    ],
  }),
  turnScenario({
    name: "thread-search/occurrences",
    about: "Each place in one thread is told with its turn, its item and the words around it.",
    model: [
      messageReply("No needle, no Needle."),
      messageReply(LONG, { id: "2" }),
      messageReply("Nothing", { id: "3" }),
    ],
    volatile: [...CURSORS, { message: "response **", pointer: "**/turnCursor" }],
    steps: [
      ...withThread(),
      turn("A needle here, and a NEEDLE there"),
      completed,
      turn("first line\nsecond  line with needle\nthird line", {}, { as: "second" }),
      completed,
      turn("thread", {}, { as: "third" }),
      completed,
      places("needle", {}, "all"),
      places("needle", { limit: 2 }, "first"),
      places("needle", { limit: 2, cursor: "{{first.result.nextCursor}}" }, "next"),
      places("haystack", {}, "none"),
      places(" needle", {}, "with a blank"),
      call(
        "thread/turns/list",
        { threadId: THREAD, cursor: "{{all.result.data.5.turnCursor}}", sortDirection: "asc" },
        { as: "turns from there" },
      ),
    ],
  }),
  turnScenario({
    name: "thread-search/loaded",
    about: "What was just said is found, with the thread's status.",
    model: [messageReply("Done")],
    volatile: [...CURSORS, { message: "response **", pointer: "**/turnCursor" }],
    steps: [
      ...withThread(),
      call("thread/searchOccurrences", { threadId: THREAD, searchTerm: "x" }, { as: "before a turn" }),
      turn("Find the needle"),
      completed,
      search("needle", {}, "found"),
      occurrences("needle", { threadId: THREAD }, "places"),
    ],
  }),
];
