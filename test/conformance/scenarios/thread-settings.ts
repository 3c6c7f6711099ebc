/** Settings of a thread that change on the way: who is told, and what the model is told of it. */
import { messageReply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, notification, refused } from "../steps.ts";
import {
  completed,
  conversation,
  INTERRUPT_RACES,
  THREAD,
  textInput,
  turn,
  turnScenario,
  withThread,
} from "../turn-steps.ts";

const REPLIES = ["1", "2", "3"].map((id) => messageReply("Done", { id }));
const body: Step = {
  do: "model",
  pick: ["model", "reasoning", "service_tier", "text"].map((key) => `/body/${key}`),
};
const updated = notification("thread/settings/updated");

/** A turn, one that changes something, and one that shows that it stays. */
const override = (
  name: string,
  about: string,
  change: Readonly<Record<string, unknown>>,
  more: { readonly thread?: Readonly<Record<string, unknown>>; readonly files?: Scenario["files"] } = {},
): Scenario =>
  turnScenario({
    name: `thread-settings/${name}`,
    about,
    model: REPLIES,
    ...(more.files === undefined ? {} : { files: more.files }),
    steps: [
      ...withThread(more.thread),
      turn("One"),
      completed,
      turn("Two", change, { as: "second" }),
      completed,
      turn("Three", {}, { as: "third" }),
      completed,
      body,
      conversation,
    ],
  });

const update = (change: Readonly<Record<string, unknown>>, as = "update"): Step =>
  call("thread/settings/update", { threadId: THREAD, ...change }, { as, settles: true });

export const threadSettingsScenarios: readonly Scenario[] = [
  override(
    "turn-cwd",
    "Another folder is announced before the turn's answer, and the model is told.",
    { cwd: "{{workspace}}/sub" },
    { files: { "workspace/sub/AGENTS.md": "Sub rules.\n" } },
  ),
  override("turn-model", "Another model is asked from this turn on.", { model: "mock-other" }),
  override(
    "turn-catalog-model",
    "A change between models of the catalog.",
    { model: "gpt-5.4" },
    {
      thread: { model: "gpt-5.5" },
    },
  ),
  override("turn-effort", "Another effort is asked for from this turn on.", { effort: "high" }),
  override(
    "turn-effort-of-a-catalog-model",
    "Another effort is asked for from this turn on.",
    { effort: "high" },
    {
      thread: { model: "gpt-5.5" },
    },
  ),
  override("turn-summary", "Another kind of summary is asked for from this turn on.", { summary: "concise" }),
  override("turn-approval-policy", "Another approval policy is told to the model.", {
    approvalPolicy: "on-request",
  }),
  override("turn-sandbox", "Another sandbox is told to the model.", {
    sandboxPolicy: { type: "workspaceWrite", writableRoots: [], networkAccess: true },
  }),
  override("turn-full-access", "A turn without a sandbox is told to the model.", {
    sandboxPolicy: { type: "dangerFullAccess" },
  }),
  override("turn-permissions", "A permission profile is told to the model.", { permissions: ":workspace" }),
  override(
    "turn-personality",
    "Another personality is told to the model.",
    { personality: "friendly" },
    {
      thread: { model: "gpt-5.5" },
    },
  ),
  override(
    "turn-service-tier",
    "Another service tier is asked for from this turn on.",
    { serviceTier: "priority" },
    {
      thread: { model: "gpt-5.5" },
    },
  ),
  override("turn-collaboration-mode", "Another mode of work is told to the model.", {
    collaborationMode: {
      mode: "plan",
      settings: { model: "mock-model", reasoning_effort: null, developer_instructions: "Plan it." },
    },
  }),
  override("turn-reviewer", "Another reviewer of approvals.", { approvalsReviewer: "auto_review" }),
  override("turn-same-values", "Values that change nothing are not announced.", {
    cwd: "{{workspace}}",
    model: "mock-model",
    approvalPolicy: "never",
    sandboxPolicy: { type: "readOnly", networkAccess: false },
  }),
  override(
    "turn-tier-once",
    "A service tier for one turn is not kept.",
    { serviceTierForTurn: "priority" },
    {
      thread: { model: "gpt-5.5" },
    },
  ),
  turnScenario({
    name: "thread-settings/first-turn",
    about: "Overrides of the first turn are part of what the model is told first.",
    model: REPLIES,
    files: { "workspace/sub/AGENTS.md": "Sub rules.\n" },
    steps: [
      ...withThread(),
      turn("One", {
        cwd: "{{workspace}}/sub",
        model: "mock-other",
        effort: "low",
        approvalPolicy: "on-request",
      }),
      completed,
      body,
      conversation,
    ],
  }),
  turnScenario({
    name: "thread-settings/update",
    about: "An update is announced and holds for the turns after it.",
    model: REPLIES,
    steps: [
      ...withThread(),
      update({ model: "mock-other", effort: "high", summary: "detailed", approvalPolicy: "on-request" }),
      turn("One"),
      completed,
      update({ cwd: "{{workspace}}/sub", sandboxPolicy: { type: "dangerFullAccess" } }, "second update"),
      turn("Two", {}, { as: "second" }),
      completed,
      update({}, "nothing"),
      update({ approvalPolicy: "on-request" }, "same"),
      body,
      conversation,
    ],
  }),
  turnScenario({
    name: "thread-settings/update-while-busy",
    about: "An update during a turn is announced at once and holds for the next turn.",
    races: INTERRUPT_RACES,
    model: [unfinishedReply("Working on"), ...REPLIES.slice(1)],
    steps: [
      ...withThread(),
      turn("One"),
      notification("item/agentMessage/delta"),
      call("thread/settings/update", { threadId: THREAD, model: "mock-other" }, { as: "update" }),
      updated,
      call("turn/interrupt", { threadId: THREAD, turnId: "{{turn.result.turn.id}}" }, { as: "interrupt" }),
      completed,
      turn("Two", {}, { as: "second" }),
      completed,
      body,
    ],
  }),
  turnScenario({
    name: "thread-settings/service-tier-null",
    about: "A service tier of null goes back to the default.",
    model: REPLIES,
    steps: [
      ...withThread({ model: "gpt-5.5", serviceTier: "priority" }),
      turn("One"),
      completed,
      update({ serviceTier: null }),
      turn("Two", {}, { as: "second" }),
      completed,
      body,
    ],
  }),
  turnScenario({
    name: "thread-settings/refused",
    about: "Settings that contradict each other or do not exist are refused and change nothing.",
    model: REPLIES,
    steps: [
      ...withThread(),
      refused(
        "thread/settings/update",
        { threadId: THREAD, sandboxPolicy: { type: "dangerFullAccess" }, permissions: ":workspace" },
        "`permissions` cannot be combined with `sandboxPolicy`",
        "two kinds of permissions",
      ),
      call(
        "thread/settings/update",
        { threadId: THREAD, permissions: ":none" },
        { as: "unknown permissions" },
      ),
      call(
        "turn/start",
        { threadId: THREAD, input: textInput("Go"), permissions: ":none" },
        { as: "unknown permissions of a turn" },
      ),
      call(
        "thread/settings/update",
        { threadId: THREAD, approvalPolicy: "sometimes" },
        { as: "unknown policy" },
      ),
      call(
        "thread/settings/update",
        { threadId: THREAD, cwd: "relative" },
        { as: "relative folder", settles: true },
      ),
      call(
        "thread/settings/update",
        { threadId: THREAD, effort: "extreme" },
        { as: "unknown effort", settles: true },
      ),
      call(
        "thread/settings/update",
        { threadId: "00000000-0000-7000-8000-000000000000", model: "x" },
        { as: "unknown thread" },
      ),
      turn("One"),
      completed,
      body,
    ],
  }),
];
