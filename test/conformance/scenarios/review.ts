/** Reviews: a turn in which another instance of the model judges changes. */
import { functionCallDone, messageReply, reply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, notification, refused, settle } from "../steps.ts";
import {
  completed,
  conversation,
  INTERRUPT_RACES,
  THREAD,
  textInput,
  turn,
  turnScenario,
  UNCONFINED,
  withThread,
} from "../turn-steps.ts";

const FINDINGS = JSON.stringify({
  findings: [
    {
      title: "Prefer the other thread",
      body: "This one is worn.",
      confidence_score: 0.9,
      priority: 1,
      code_location: { absolute_file_path: "/loom/warp.rs", line_range: { start: 10, end: 20 } },
    },
  ],
  overall_correctness: "good",
  overall_explanation: "All of it holds.",
  overall_confidence_score: 0.8,
});
/** One commit whose number is always the same. */
const MAKE_REPOSITORY = [
  "export GIT_AUTHOR_DATE=2025-01-01T00:00:00Z GIT_COMMITTER_DATE=2025-01-01T00:00:00Z",
  "git init -q -b main .",
  "git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m one",
  "git checkout -q -b work",
].join(" && ");
const CUSTOM = { type: "custom", instructions: "Look at the knots" };

const review = (target: unknown, more: Readonly<Record<string, unknown>> = {}, as = "review"): Step =>
  call("review/start", { threadId: THREAD, target, ...more }, { as });

const reviewed = (name: string, about: string, target: unknown, answer = FINDINGS): Scenario =>
  turnScenario({
    name: `review/${name}`,
    about,
    model: [messageReply(answer), messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      review(target),
      completed,
      turn("Go", {}, { as: "second" }),
      completed,
      conversation,
    ],
  });

export const reviewScenarios: readonly Scenario[] = [
  reviewed("custom", "A review with findings enters and leaves its mode and ends with its text.", CUSTOM),
  reviewed("uncommitted-changes", "The changes that are not committed are reviewed.", {
    type: "uncommittedChanges",
  }),
  turnScenario({
    name: "review/base-branch",
    about: "The changes against a branch are reviewed from the commit that both have.",
    races: ["item/commandExecution/outputDelta"],
    model: [messageReply(FINDINGS), messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      call("thread/shellCommand", { threadId: THREAD, command: MAKE_REPOSITORY }, { as: "shell" }),
      completed,
      review({ type: "baseBranch", branch: "main" }),
      completed,
      turn("Go", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "review/base-branch-without-git",
    about: "Changes against a branch need a repository; without one there is an error.",
    steps: [
      ...withThread(),
      review({ type: "baseBranch", branch: "main" }),
      notification("error"),
      settle(),
      conversation,
    ],
  }),
  reviewed("commit", "A commit is reviewed under its title.", {
    type: "commit",
    sha: "1234567deadbeef",
    title: "Tidy the warp",
  }),
  reviewed("commit-without-title", "A commit is reviewed under its number.", {
    type: "commit",
    sha: "1234567deadbeef",
    title: null,
  }),
  reviewed(
    "no-findings",
    "A review without findings says so.",
    CUSTOM,
    JSON.stringify({
      findings: [],
      overall_correctness: "good",
      overall_explanation: "Nothing to say.",
      overall_confidence_score: 0.5,
    }),
  ),
  reviewed("plain-text", "A review that is no JSON is taken as its explanation.", CUSTOM, "It looks fine."),
  turnScenario({
    name: "review/with-a-command",
    about: "What the reviewer runs is shown as items of the review.",
    races: ["item/commandExecution/outputDelta"],
    model: [
      reply("1", functionCallDone("call_1", "exec_command", { cmd: "echo diff" })),
      messageReply(FINDINGS, { id: "2" }),
    ],
    steps: [...withThread(UNCONFINED), review(CUSTOM), completed, conversation],
  }),
  turnScenario({
    name: "review/after-a-turn",
    about: "A reviewer does not see the thread's history.",
    model: [messageReply("One"), messageReply(FINDINGS, { id: "2" }), messageReply("Three", { id: "3" })],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      review(CUSTOM),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "review/fails",
    about: "A review whose model fails leaves its mode and fails.",
    model: [{ status: 400, body: "no" }, messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      review(CUSTOM),
      completed,
      turn("Go", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "review/interrupted",
    about: "A review takes no steer, and an interrupt ends it.",
    races: INTERRUPT_RACES,
    model: [unfinishedReply("Looking"), messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      review(CUSTOM),
      { do: "await", message: { method: "turn/started" }, as: "started" },
      notification("item/started", { item: { type: "agentMessage" } }),
      call(
        "turn/steer",
        { threadId: THREAD, expectedTurnId: "{{review.result.turn.id}}", input: textInput("Hey") },
        { as: "steer" },
      ),
      call(
        "turn/interrupt",
        { threadId: THREAD, turnId: "{{review.result.turn.id}}" },
        { as: "review's own id" },
      ),
      call("turn/interrupt", { threadId: THREAD, turnId: "{{started.params.turn.id}}" }, { as: "interrupt" }),
      completed,
      turn("Go", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "review/refused",
    about: "A review needs a target with something in it.",
    steps: [
      ...withThread(),
      refused(
        "review/start",
        { threadId: THREAD, target: { type: "baseBranch", branch: "  " } },
        "branch must not be empty",
        "no branch",
      ),
      refused(
        "review/start",
        { threadId: THREAD, target: { type: "commit", sha: "\t", title: null } },
        "sha must not be empty",
        "no commit",
      ),
      refused(
        "review/start",
        { threadId: THREAD, target: { type: "custom", instructions: "\n" } },
        "instructions must not be empty",
        "no instructions",
      ),
      call("review/start", { threadId: THREAD, target: { type: "weather" } }, { as: "unknown target" }),
      call("review/start", { threadId: THREAD }, { as: "no target" }),
      call("review/start", { threadId: THREAD, target: CUSTOM, delivery: "detached" }, { as: "detached" }),
      call(
        "review/start",
        { threadId: "00000000-0000-7000-8000-000000000000", target: CUSTOM },
        { as: "unknown thread" },
      ),
    ],
  }),
];
