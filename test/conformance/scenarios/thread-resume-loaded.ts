/** Threads that are joined while they are loaded, also in the middle of a turn, and goals of such threads. */
import {
  functionCallDone,
  messageDone,
  messageReply,
  reply,
  responseCompleted,
  responseCreated,
} from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, notification, settle } from "../steps.ts";
import {
  completed,
  conversation,
  THREAD,
  turn,
  turnScenario,
  UNCONFINED,
  withThread,
} from "../turn-steps.ts";
import {
  apply,
  asksAboutCommand,
  asksAboutFiles,
  DELTAS,
  DONE,
  decide,
  exec,
  exists,
  OWN_FOLDERS,
  patch,
  UNTRUSTED,
} from "./approvals-steps.ts";
import { pathOf, type StoredThread, storedFiles, threadId } from "./thread-list-files.ts";
import { BARE, REPLIES, RESUME_CURSORS, resume } from "./thread-resume-steps.ts";

const HELD = [messageReply("Done"), messageReply("Done", { id: "2", held: true })];
const OTHER: StoredThread = { id: threadId(1), at: "2026-01-05T12:00:01", said: ["one"] };

/** A thread that has had a turn and is in its second. */
const running: readonly Step[] = [
  ...withThread(),
  turn("First"),
  completed,
  turn("Second", {}, { as: "second" }),
  { do: "modelAsked", times: 2 },
];
const ends: readonly Step[] = [{ do: "release" }, completed];
const goal = (more: Readonly<Record<string, unknown>>, as: string): Step =>
  call("thread/goal/set", { threadId: THREAD, ...more }, { as, settles: true });
const page = (sortDirection: string) => ({
  initialTurnsPage: { limit: 1, sortDirection, itemsView: "notLoaded" },
});

export const threadResumeLoadedScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-resume/loaded",
    about: "A loaded thread is joined as it is; an empty path is none.",
    model: REPLIES,
    volatile: RESUME_CURSORS,
    steps: [
      ...withThread(),
      turn("First"),
      completed,
      resume(THREAD, { ...BARE, path: "" }, { expect: { result: { thread: { status: { type: "idle" } } } } }),
      resume(THREAD, {}, { as: "with turns" }),
    ],
  }),
  turnScenario({
    name: "thread-resume/loaded-instructions",
    about: "A loaded thread names the instructions that it was started with, even when their file is gone.",
    files: { "workspace/AGENTS.md": "project instructions" },
    model: [reply("1", functionCallDone("call_1", "exec_command", { cmd: "rm AGENTS.md" })), DONE],
    races: DELTAS,
    volatile: RESUME_CURSORS,
    steps: [
      ...withThread(UNCONFINED),
      turn("Remove it"),
      completed,
      exists("workspace/AGENTS.md", false),
      resume(THREAD, BARE, {
        expect: { result: { instructionSources: ["{{workspace}}/AGENTS.md"] } },
      }),
    ],
  }),
  turnScenario({
    name: "thread-resume/loaded-workspace-roots",
    about: "Folders that a turn names are the thread's from then on, each once.",
    files: { "workspace/extra/file": "" },
    model: REPLIES,
    volatile: RESUME_CURSORS,
    steps: [
      ...withThread(),
      turn("Go", { runtimeWorkspaceRoots: ["{{workspace}}/extra", "{{workspace}}/extra/."] }),
      completed,
      resume(THREAD, BARE, { expect: { result: { runtimeWorkspaceRoots: ["{{workspace}}/extra"] } } }),
    ],
  }),
  turnScenario({
    name: "thread-resume/running",
    about: "A turn goes on when its thread is resumed.",
    model: HELD,
    volatile: RESUME_CURSORS,
    steps: [
      ...running,
      resume(THREAD, {}, { expect: { result: { thread: { status: { type: "active" } } } } }),
      ...ends,
    ],
  }),
  turnScenario({
    name: "thread-resume/running-pages",
    about: "A thread in a turn shows that turn on a first page, and keeps its settings.",
    model: HELD,
    volatile: RESUME_CURSORS,
    steps: [
      ...running,
      resume(
        THREAD,
        { model: "not-the-running-model", cwd: "{{user}}", ...page("desc") },
        {
          as: "newest",
          expect: {
            result: {
              model: "mock-model",
              initialTurnsPage: { data: [{ id: "{{second.result.turn.id}}" }] },
            },
          },
        },
      ),
      resume(THREAD, BARE, { as: "no page" }),
      resume(
        THREAD,
        { ...BARE, ...page("asc") },
        {
          as: "oldest",
          expect: { result: { initialTurnsPage: { data: [{ id: "{{turn.result.turn.id}}" }] } } },
        },
      ),
      ...ends,
    ],
  }),
  turnScenario({
    name: "thread-resume/running-history",
    about: "A thread in a turn takes no other history.",
    model: HELD,
    volatile: RESUME_CURSORS,
    steps: [
      ...running,
      resume(
        THREAD,
        { history: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Other" }] }] },
        { expect: { error: { code: -32600 } } },
      ),
      ...ends,
    ],
  }),
  turnScenario({
    name: "thread-resume/running-path",
    about: "A loaded thread is not mistaken for the file of another one.",
    files: storedFiles(OTHER),
    model: HELD,
    volatile: RESUME_CURSORS,
    steps: [
      ...running,
      resume(THREAD, { path: `{{root}}/${pathOf(OTHER)}` }, { expect: { error: { code: -32600 } } }),
      resume(THREAD, { ...BARE, path: "{{thread.result.thread.path}}" }, { as: "own path" }),
      ...ends,
    ],
  }),
  turnScenario({
    name: "thread-resume/open-command-question",
    about: "Who resumes a thread that waits for an answer is asked again, under the same id.",
    config: OWN_FOLDERS,
    races: DELTAS,
    model: [{ ...DONE }, exec("touch made"), DONE],
    volatile: RESUME_CURSORS,
    steps: [
      ...withThread({ sandbox: "workspace-write" }),
      turn("First"),
      completed,
      turn("Run it", { approvalPolicy: "untrusted" }, { as: "second" }),
      asksAboutCommand,
      resume(THREAD, {}, { settles: true }),
      decide("accept"),
      completed,
      exists("workspace/made", true),
      conversation,
    ],
  }),
  turnScenario({
    name: "thread-resume/open-patch-question",
    about: "The same with a patch.",
    config: OWN_FOLDERS,
    model: [{ ...DONE }, apply(patch("*** Add File: README.md", "+new line")), DONE],
    volatile: RESUME_CURSORS,
    steps: [
      ...withThread({ ...UNTRUSTED, model: "gpt-5.5" }),
      turn("First"),
      completed,
      turn("Write it", {}, { as: "second" }),
      asksAboutFiles,
      notification("thread/status/changed", { status: { activeFlags: ["waitingOnApproval"] } }),
      resume(THREAD, {}, { settles: true }),
      decide("accept"),
      completed,
      exists("workspace/README.md", true),
      conversation,
    ],
  }),
  turnScenario({
    name: "thread-resume/paused-goal",
    about: "A goal that is paused stays so when its thread is resumed, and is told.",
    model: REPLIES,
    volatile: RESUME_CURSORS,
    steps: [
      ...withThread(),
      turn("First"),
      completed,
      goal({ objective: "Keep polishing", status: "paused" }, "paused"),
      resume(THREAD, BARE),
      notification("thread/goal/updated", { goal: { status: "paused" } }),
    ],
  }),
  turnScenario({
    name: "thread-resume/active-goal",
    about: "An active goal goes on by itself until its budget is spent; when it is cleared it is gone.",
    model: [
      messageReply("Done"),
      {
        events: [
          responseCreated("resp_2"),
          messageDone("msg_2", "Working"),
          responseCompleted("resp_2", { input: 150, output: 50 }),
        ],
      },
      messageReply("Done", { id: "3" }),
    ],
    races: ["account/rateLimits/updated"],
    volatile: RESUME_CURSORS,
    steps: [
      ...withThread(),
      turn("First"),
      completed,
      call("thread/goal/set", { threadId: THREAD, objective: "Ship it", tokenBudget: 100 }, { as: "goal" }),
      settle(1_000),
      call("thread/goal/clear", { threadId: THREAD }, { as: "clear", settles: true }),
      call("thread/goal/get", { threadId: THREAD }, { as: "get", expect: { result: { goal: null } } }),
      call("thread/goal/clear", { threadId: THREAD }, { as: "clear again" }),
    ],
  }),
  turnScenario({
    name: "thread-resume/goal-first",
    about: "A thread that has only a goal is listed.",
    volatile: RESUME_CURSORS,
    steps: [
      ...withThread(),
      goal({ objective: "Stay visible", status: "paused" }, "goal"),
      call(
        "thread/list",
        {
          limit: 10,
          modelProviders: ["mock"],
          sourceKinds: ["vscode"],
          archived: false,
          cwd: "{{workspace}}",
          useStateDbOnly: true,
        },
        { as: "list", expect: { result: { data: [{ id: THREAD }] } } },
      ),
    ],
  }),
  turnScenario({
    name: "thread-resume/goal-budget",
    about: "The largest budget is the one that the thread was started with.",
    config: { tables: "[goals]\nmax_goal_token_budget = 200\n" },
    steps: [
      initialize(),
      call(
        "thread/start",
        { config: { "goals.max_goal_token_budget": 100 } },
        { as: "thread", settles: true },
      ),
      goal({ objective: "Too large", tokenBudget: 101 }, "too large"),
      goal({ objective: "Bounded", status: "paused" }, "bounded"),
      goal({ tokenBudget: null }, "no budget"),
      goal({ tokenBudget: 101 }, "too large again"),
    ],
  }),
  turnScenario({
    name: "thread-resume/stopped-goals",
    about: "Goals of a loaded thread stop for several reasons, and the same words do not start them again.",
    model: REPLIES,
    steps: [
      ...withThread(),
      turn("First"),
      completed,
      goal({ objective: "Keep polishing", status: "blocked" }, "blocked"),
      goal({ objective: "Keep polishing", status: "usageLimited" }, "out of usage"),
      goal({ objective: "Keep polishing", status: "budgetLimited", tokenBudget: 10 }, "out of budget"),
      goal({ objective: "Keep polishing" }, "same words"),
    ],
  }),
];
