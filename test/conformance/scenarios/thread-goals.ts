/** The goals of threads. */
import { messageReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize } from "../steps.ts";
import { completed, THREAD, turn, turnScenario, withThread } from "../turn-steps.ts";
import { CURSORS } from "./thread-list.ts";
import { type StoredThread, storedFiles, threadId } from "./thread-list-files.ts";

const UNKNOWN = "00000000-0000-7000-8000-000000000000";
const PLAIN: StoredThread = { id: threadId(1), at: "2026-01-05T12:00:01", said: ["one"] };
const ARCHIVED: StoredThread = { id: threadId(2), at: "2026-01-05T12:00:02", said: ["two"], archived: true };
const LEGACY: StoredThread = { id: threadId(3), at: "2026-01-05T12:00:03", said: ["three"], mode: "legacy" };

const set = (id: string, more: Readonly<Record<string, unknown>>, as: string): Step =>
  call("thread/goal/set", { threadId: id, ...more }, { as, settles: true });
const get = (id: string, as: string): Step => call("thread/goal/get", { threadId: id }, { as });
const clear = (id: string, as: string): Step =>
  call("thread/goal/clear", { threadId: id }, { as, settles: true });

export const threadGoalScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-goals/stored",
    about: "A thread that is not loaded gets a goal, which can be changed, read and cleared.",
    files: storedFiles(PLAIN, ARCHIVED, LEGACY),
    steps: [
      initialize(),
      get(threadId(1), "none"),
      set(threadId(1), { objective: "  Ship it " }, "new"),
      get(threadId(1), "got"),
      set(threadId(1), { status: "paused" }, "paused"),
      set(threadId(1), { tokenBudget: 1000 }, "budget"),
      set(threadId(1), { objective: "Ship it well" }, "other words"),
      set(threadId(1), { tokenBudget: null }, "no budget"),
      set(threadId(1), { status: "complete", objective: "Done", tokenBudget: 5 }, "all at once"),
      set(threadId(1), {}, "nothing"),
      set(threadId(1), { status: "budgetLimited" }, "limited"),
      set(threadId(1), { status: "paused" }, "paused when limited"),
      set(threadId(1), { status: "active" }, "active again"),
      clear(threadId(1), "clear"),
      clear(threadId(1), "clear again"),
      get(threadId(1), "gone"),
      set(threadId(2), { objective: "Archived" }, "archived"),
      set(threadId(3), { objective: "Legacy", status: "blocked", tokenBudget: 7 }, "legacy"),
      get(threadId(3), "got legacy"),
    ],
  }),
  turnScenario({
    name: "thread-goals/refused",
    about: "Goals that are none, and threads that have none.",
    files: storedFiles(PLAIN),
    steps: [
      initialize(),
      set("abc", { objective: "x" }, "bad id"),
      get("abc", "bad id to get"),
      clear("abc", "bad id to clear"),
      set(UNKNOWN, { objective: "x" }, "unknown"),
      get(UNKNOWN, "unknown to get"),
      clear(UNKNOWN, "unknown to clear"),
      set(threadId(1), { status: "paused" }, "no goal to pause"),
      set(threadId(1), {}, "no goal"),
      set(threadId(1), { objective: " " }, "blank"),
      set(threadId(1), { objective: "x".repeat(4001) }, "too long"),
      set(threadId(1), { objective: "x", tokenBudget: 0 }, "no tokens"),
      set(threadId(1), { objective: "x", tokenBudget: -1 }, "fewer tokens"),
      set(threadId(1), { objective: "x", status: "done" }, "bad status"),
      call("thread/start", { ephemeral: true }, { as: "ephemeral", settles: true }),
      set("{{ephemeral.result.thread.id}}", { objective: "x" }, "set ephemeral"),
      get("{{ephemeral.result.thread.id}}", "get ephemeral"),
      clear("{{ephemeral.result.thread.id}}", "clear ephemeral"),
    ],
  }),
  turnScenario({
    name: "thread-goals/loaded",
    about: "The goal of a loaded thread that is paused changes nothing else.",
    model: [messageReply("Done")],
    volatile: CURSORS,
    steps: [
      ...withThread(),
      get(THREAD, "before"),
      set(THREAD, { objective: "Later", status: "paused" }, "paused"),
      call("thread/read", { threadId: THREAD }, { as: "read" }),
      call("thread/list", {}, { as: "list" }),
      turn("Go"),
      completed,
      get(THREAD, "after a turn"),
      call("thread/list", {}, { as: "list after a turn" }),
      clear(THREAD, "clear"),
      get(THREAD, "gone"),
    ],
  }),
  turnScenario({
    name: "thread-goals/restart",
    about: "A goal outlives the server.",
    files: storedFiles(PLAIN),
    steps: [
      initialize(),
      set(threadId(1), { objective: "Ship it", tokenBudget: 100 }, "set"),
      { do: "restart" },
      initialize({ experimentalApi: true }, { as: "initialize again" }),
      get(threadId(1), "got"),
    ],
  }),
  turnScenario({
    name: "thread-goals/several-clients",
    about: "Everyone hears of goals.",
    transports: ["ws"],
    files: storedFiles(PLAIN),
    steps: [
      initialize(),
      { do: "connect", as: "other" },
      initialize({ experimentalApi: true }, { as: "other initialize", on: "other", name: "other" }),
      set(threadId(1), { objective: "Ship it" }, "set"),
      clear(threadId(1), "clear"),
      { do: "settle", on: "other" },
    ],
  }),
  turnScenario({
    name: "thread-goals/switched-off",
    about: "Without their feature there are no goals.",
    files: storedFiles(PLAIN),
    config: { tables: "[features]\ngoals = false\n" },
    steps: [
      initialize(),
      set(threadId(1), { objective: "Ship it" }, "set"),
      get(threadId(1), "get"),
      get("abc", "bad id"),
      clear(threadId(1), "clear"),
    ],
  }),
  turnScenario({
    name: "thread-goals/largest-budget",
    about: "The configuration bounds the budgets of goals.",
    files: storedFiles(PLAIN),
    config: { tables: "[goals]\nmax_goal_token_budget = 100\n" },
    steps: [
      initialize(),
      set(threadId(1), { objective: "Ship it", tokenBudget: 101 }, "too much"),
      set(threadId(1), { objective: "Ship it" }, "without a budget"),
      set(threadId(1), { tokenBudget: 50 }, "less"),
      set(threadId(1), { tokenBudget: null }, "no budget"),
    ],
  }),
];
