/** What a thread that comes back knows of its settings, and what the configuration and its client say otherwise. */
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize } from "../steps.ts";
import {
  completed,
  conversation,
  THREAD,
  TURN_ANSWERS,
  turn,
  turnScenario,
  withThread,
} from "../turn-steps.ts";
import { type StoredThread, storedFiles, threadId } from "./thread-list-files.ts";
import { BARE, configText, REPLIES, RESUME_CURSORS, restarted, resume } from "./thread-resume-steps.ts";

type Params = Readonly<Record<string, unknown>>;

const update = (change: Params): Step =>
  call("thread/settings/update", { threadId: THREAD, ...change }, { as: "update", settles: true });
const made = (params: Params, ...more: readonly Step[]): readonly Step[] => [
  ...withThread(params),
  turn("Make a file"),
  completed,
  ...more,
];
const expecting = (result: Params) => ({ expect: { result } });

/** A permission profile of the user, beside what holds without it. */
const withDev = (base: string): string =>
  configText(
    {
      root: 'default_permissions = ":danger-full-access"\n',
      tables: `[permissions.dev]\nextends = "${base}"\n`,
    },
    false,
  );
const withDefault = (profile: string): string =>
  configText({ root: `default_permissions = "${profile}"\n` }, false);

/** A thread that is made under one configuration and comes back under another. */
const profileScenario = (
  name: string,
  about: string,
  { before, ...rest }: { readonly before: string } & Pick<Scenario, "files" | "steps">,
): Scenario => ({
  name: `thread-resume/${name}`,
  about,
  transports: ["stdio"],
  freeOrder: TURN_ANSWERS,
  model: REPLIES,
  volatile: RESUME_CURSORS,
  config: { whole: before },
  ...rest,
});

const STORED: StoredThread = { id: threadId(1), at: "2026-01-05T12:00:01", said: ["one"] };
const modes = ["legacy", "paginated"] as const;

export const threadResumeSettingsScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-resume/reviewer",
    about: "A thread keeps who reviews its approvals.",
    model: REPLIES,
    volatile: RESUME_CURSORS,
    steps: [
      ...made({ approvalsReviewer: "auto_review" }),
      ...restarted(configText({ root: 'approvals_reviewer = "user"\n' })),
      resume(THREAD, BARE, expecting({ approvalsReviewer: "auto_review" })),
    ],
  }),
  ...modes.map((historyMode) =>
    turnScenario({
      name: `thread-resume/approval-policy-${historyMode}`,
      about: "A thread keeps its approval policy, unless its client wants another one.",
      model: REPLIES,
      volatile: RESUME_CURSORS,
      steps: [
        ...made({ approvalPolicy: "on-request", historyMode }),
        ...restarted(),
        resume(THREAD, BARE, expecting({ approvalPolicy: "on-request" })),
        ...restarted(),
        resume(THREAD, { ...BARE, approvalPolicy: "untrusted" }, { as: "override" }),
      ],
    }),
  ),
  turnScenario({
    name: "thread-resume/reviewer-of-a-goal-first-thread",
    about: "A thread that has only a goal keeps its settings, and so does a fork of it.",
    volatile: RESUME_CURSORS,
    steps: [
      ...withThread({ approvalsReviewer: "auto_review", approvalPolicy: "on-request", model: "mock-other" }),
      ...["Keep it", "Still keep it"].map((objective, at) =>
        call(
          "thread/goal/set",
          { threadId: THREAD, objective, status: "paused" },
          { as: `goal ${at}`, settles: true },
        ),
      ),
      call(
        "thread/fork",
        { threadId: THREAD, approvalsReviewer: "user", excludeTurns: true },
        { as: "fork", settles: true, ...expecting({ approvalsReviewer: "user" }) },
      ),
      ...restarted(configText({ root: 'approvals_reviewer = "user"\n' })),
      resume(
        THREAD,
        BARE,
        expecting({ approvalsReviewer: "auto_review", approvalPolicy: "on-request", model: "mock-other" }),
      ),
      resume("{{fork.result.thread.id}}", BARE, {
        as: "resume fork",
        ...expecting({ approvalsReviewer: "user" }),
      }),
    ],
  }),
  turnScenario({
    name: "thread-resume/updated-settings",
    about:
      "Settings that were changed after the last turn are kept; a folder that the client names holds now.",
    model: REPLIES,
    volatile: RESUME_CURSORS,
    config: { root: 'model_reasoning_effort = "high"\n' },
    steps: [
      ...made(
        {},
        update({
          model: "gpt-5.5",
          effort: "ultra",
          approvalsReviewer: "auto_review",
          cwd: "{{workspace}}/sub",
        }),
        call("thread/read", { threadId: THREAD }, { as: "read" }),
        call("thread/list", { cwd: "{{workspace}}/sub", useStateDbOnly: true }, { as: "list" }),
      ),
      ...restarted(),
      resume(
        THREAD,
        { ...BARE, cwd: "{{user}}" },
        expecting({
          model: "gpt-5.5",
          reasoningEffort: "ultra",
          approvalsReviewer: "auto_review",
          cwd: "{{user}}",
        }),
      ),
      update({
        collaborationMode: {
          mode: "default",
          settings: { model: "gpt-5.5", reasoning_effort: null, developer_instructions: null },
        },
      }),
      ...restarted(),
      resume(THREAD, BARE, { as: "without effort", ...expecting({ reasoningEffort: null }) }),
    ],
  }),
  profileScenario(
    "profile-of-today",
    "A permission profile means what it means today; folders that a turn has named are kept.",
    {
      before: withDev(":workspace"),
      steps: [
        ...made(
          { permissions: "dev" },
          turn("Again", { runtimeWorkspaceRoots: ["{{user}}"] }, { as: "second" }),
          completed,
        ),
        ...restarted(withDev(":read-only")),
        resume(
          THREAD,
          BARE,
          expecting({
            sandbox: { type: "readOnly" },
            activePermissionProfile: { id: "dev", extends: ":read-only" },
          }),
        ),
      ],
    },
  ),
  profileScenario(
    "profile-default",
    "A thread that knows of no permissions gets those of the configuration.",
    {
      before: withDefault(":danger-full-access"),
      files: storedFiles(STORED),
      steps: [
        initialize(),
        resume(
          STORED.id,
          BARE,
          expecting({
            sandbox: { type: "dangerFullAccess" },
            activePermissionProfile: { id: ":danger-full-access" },
          }),
        ),
      ],
    },
  ),
  profileScenario("profile-gone", "Where a thread's permission profile is gone the configured one holds.", {
    before: withDev(":workspace"),
    steps: [
      ...made({ permissions: "dev" }),
      ...restarted(withDefault(":danger-full-access")),
      resume(
        THREAD,
        BARE,
        expecting({
          sandbox: { type: "dangerFullAccess" },
          activePermissionProfile: { id: ":danger-full-access" },
        }),
      ),
    ],
  }),
  profileScenario(
    "profile-gone-with-a-mode",
    "Where a thread's permission profile is gone the configured one holds before the mode of the sandbox.",
    {
      before: withDev(":workspace"),
      steps: [
        ...made({ permissions: "dev" }),
        ...restarted(configText({ root: 'default_permissions = ":danger-full-access"\n' })),
        resume(
          THREAD,
          BARE,
          expecting({
            sandbox: { type: "dangerFullAccess" },
            activePermissionProfile: { id: ":danger-full-access" },
          }),
        ),
        call("thread/start", {}, { as: "new thread", settles: true }),
      ],
    },
  ),
  profileScenario(
    "profile-overrides",
    "A thread keeps a permission profile, unless its client names a sandbox, a profile or a default of them.",
    {
      before: withDefault(":danger-full-access"),
      steps: [
        ...made({ permissions: ":workspace" }),
        ...restarted(),
        resume(
          THREAD,
          BARE,
          expecting({ sandbox: { type: "workspaceWrite" }, activePermissionProfile: { id: ":workspace" } }),
        ),
        ...[
          { sandbox: "read-only" },
          { permissions: ":read-only" },
          { config: { default_permissions: ":read-only" } },
        ].flatMap((wish) => [
          ...restarted(),
          resume(
            THREAD,
            { ...BARE, ...wish },
            { as: `${Object.keys(wish)[0]}`, ...expecting({ sandbox: { type: "readOnly" } }) },
          ),
        ]),
      ],
    },
  ),
  profileScenario("no-profile", "A thread that has a sandbox and no profile keeps its sandbox.", {
    before: configText({}),
    steps: [
      ...withThread(),
      turn("Go", { sandboxPolicy: { type: "dangerFullAccess" } }),
      completed,
      ...restarted(withDefault(":workspace")),
      resume(
        THREAD,
        BARE,
        expecting({ sandbox: { type: "dangerFullAccess" }, activePermissionProfile: null }),
      ),
    ],
  }),
  profileScenario("updated-profile", "A profile that was chosen after the last turn is kept.", {
    before: configText({}),
    steps: [
      ...made({}, update({ permissions: ":workspace" })),
      ...restarted(),
      resume(
        THREAD,
        BARE,
        expecting({
          sandbox: { type: "workspaceWrite" },
          activePermissionProfile: { id: ":workspace" },
        }),
      ),
    ],
  }),
  turnScenario({
    name: "thread-resume/overrides",
    about: "What a client wants otherwise when it resumes a thread is kept with the thread.",
    model: REPLIES,
    volatile: RESUME_CURSORS,
    steps: [
      ...made({}),
      ...restarted(),
      resume(THREAD, {
        ...BARE,
        model: "mock-other",
        approvalPolicy: "on-request",
        sandbox: "workspace-write",
      }),
      ...restarted(),
      resume(THREAD, BARE, { as: "resume again" }),
      turn("Go on", {}, { as: "second" }),
      completed,
      { do: "model", pick: ["/body/model"] },
    ],
  }),
  turnScenario({
    name: "thread-resume/personality",
    about: "Another personality than before is told to the model; the instructions stay those of the thread.",
    model: REPLIES,
    volatile: RESUME_CURSORS,
    steps: [
      ...made({ model: "gpt-5.5" }),
      ...restarted(),
      resume(THREAD, { ...BARE, model: "gpt-5.5", personality: "friendly" }),
      turn("Go on", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "thread-resume/stable-client",
    about: "A client without the experimental capability resumes a thread too.",
    model: REPLIES,
    volatile: RESUME_CURSORS,
    steps: [
      ...made({}),
      { do: "restart" },
      initialize(null, { as: "initialize again" }),
      resume(THREAD, BARE),
    ],
  }),
];
