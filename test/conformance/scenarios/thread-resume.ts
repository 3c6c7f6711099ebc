/** Threads that come back from their files: what is told of them, and which do not come back. */
import type { Scenario } from "../scenario.ts";
import { call, initialize } from "../steps.ts";
import { completed, conversation, THREAD, textInput, turn, turnScenario, withThread } from "../turn-steps.ts";
import { pathOf, storedFiles, threadId } from "./thread-list-files.ts";
import { threadResumeLoadedScenarios } from "./thread-resume-loaded.ts";
import { threadResumeSettingsScenarios } from "./thread-resume-settings.ts";
import {
  BARE,
  continued,
  event,
  FOREIGN,
  ID,
  LEGACY,
  PAGINATED,
  REPLIES,
  RESUME_CURSORS,
  restarted,
  resume,
  said,
} from "./thread-resume-steps.ts";
import { threadResumeUsageScenarios } from "./thread-resume-usage.ts";

const FILE = pathOf(PAGINATED);
const filePath = `{{root}}/${FILE}`;
const goOn = (as = "turn") => call("turn/start", { threadId: ID, input: textInput("Go on") }, { as });

const fromFiles: readonly Scenario[] = [
  turnScenario({
    name: "thread-resume/stored",
    about: "A thread of either form comes back with its turns and is idle.",
    files: storedFiles(PAGINATED, LEGACY),
    volatile: RESUME_CURSORS,
    steps: [
      initialize(),
      resume(ID, {}, { as: "paginated", expect: { result: { thread: { status: { type: "idle" } } } } }),
      resume(threadId(2), {}, { as: "legacy" }),
      call("thread/loaded/list", {}, { as: "loaded" }),
    ],
  }),
  turnScenario({
    name: "thread-resume/foreign",
    about: "A thread of another program is shown as its file tells it, elements of its texts included.",
    files: continued(
      { ...FOREIGN, meta: { ...FOREIGN.meta, thread_source: "user" } },
      ...said("Saved user message", {
        text_elements: [{ byte_range: { start: 0, end: 5 }, placeholder: "<note>" }],
      }),
    ),
    volatile: RESUME_CURSORS,
    steps: [
      initialize(),
      resume(
        ID,
        {},
        { expect: { result: { thread: { preview: "Saved user message", cliVersion: "0.0.0" } } } },
      ),
    ],
  }),
  turnScenario({
    name: "thread-resume/without-turns",
    about: "A client may leave out the turns.",
    files: storedFiles(PAGINATED, LEGACY),
    volatile: RESUME_CURSORS,
    steps: [
      initialize(),
      resume(ID, BARE, { as: "paginated", expect: { result: { thread: { turns: [] } } } }),
      resume(threadId(2), BARE, { as: "legacy", expect: { result: { thread: { turns: [] } } } }),
    ],
  }),
  turnScenario({
    name: "thread-resume/pages",
    about: "A client may ask for a first page of turns with the thread.",
    files: storedFiles(PAGINATED, LEGACY),
    volatile: RESUME_CURSORS,
    steps: [
      initialize(),
      resume(ID, { ...BARE, initialTurnsPage: { limit: 1, itemsView: "full" } }, { as: "newest" }),
      resume(ID, { ...BARE, initialTurnsPage: { limit: 1, sortDirection: "asc" } }, { as: "oldest" }),
      resume(threadId(2), { initialTurnsPage: { itemsView: "notLoaded" } }, { as: "legacy" }),
    ],
  }),
  turnScenario({
    name: "thread-resume/legacy-tool-calls",
    about: "Calls of MCP tools and made images of an old file are shown whole.",
    files: continued(
      FOREIGN,
      ...said("Look it up"),
      event("mcp_tool_call_end", {
        call_id: "mcp-1",
        invocation: { server: "docs", tool: "lookup", arguments: { key: "argument" } },
        read_only_hint: false,
        duration: { secs: 0, nanos: 8_000_000 },
        result: {
          Ok: {
            content: [{ type: "text", text: "result" }],
            structuredContent: { key: "structured" },
            isError: false,
            _meta: { key: "meta" },
          },
        },
      }),
      event("image_generation_end", {
        call_id: "ig-1",
        status: "completed",
        revised_prompt: "A prompt",
        result: "aW1hZ2U=",
        saved_path: "/images/ig-1.png",
      }),
    ),
    volatile: RESUME_CURSORS,
    steps: [initialize(), resume(ID, { initialTurnsPage: { itemsView: "full" } })],
  }),
  turnScenario({
    name: "thread-resume/compacted",
    about: "A thread goes on from its last compaction and is still called by its first message.",
    files: continued(PAGINATED, {
      type: "compacted",
      payload: { message: "compacted history", replacement_history: [], window_number: 1 },
    }),
    model: REPLIES,
    volatile: RESUME_CURSORS,
    steps: [
      initialize(),
      resume(ID, BARE, { as: "thread", expect: { result: { thread: { preview: "one" } } } }),
      goOn(),
      completed,
      ...restarted(),
      resume(ID, { ...BARE, path: filePath }, { expect: { result: { thread: { preview: "one" } } } }),
      goOn("second"),
      completed,
      call("thread/list", {}, { as: "list", expect: { result: { data: [{ preview: "one" }] } } }),
      conversation,
    ],
  }),
  turnScenario({
    name: "thread-resume/git-branch",
    about: "A branch that a client has noted is told rather than the one of the folder.",
    files: { ...storedFiles(LEGACY), "workspace/.git/HEAD": "ref: refs/heads/other\n" },
    volatile: RESUME_CURSORS,
    steps: [
      initialize(),
      call(
        "thread/metadata/update",
        { threadId: threadId(2), gitInfo: { branch: "noted" } },
        { as: "update" },
      ),
      resume(threadId(2), BARE, { expect: { result: { thread: { gitInfo: { branch: "noted" } } } } }),
    ],
  }),
  turnScenario({
    name: "thread-resume/times",
    about:
      "A thread is no more recent for being resumed; one that nobody follows is loaded anew for another folder.",
    files: storedFiles(PAGINATED),
    model: REPLIES,
    volatile: RESUME_CURSORS,
    steps: [
      initialize(),
      call("thread/read", { threadId: ID }, { as: "before" }),
      resume(ID, BARE, {
        expect: { result: { thread: { recencyAt: "{{before.result.thread.recencyAt}}" } } },
      }),
      call("thread/unsubscribe", { threadId: ID }, { as: "unsubscribe" }),
      resume(
        "not-a-thread",
        { ...BARE, path: filePath, cwd: "{{user}}" },
        { as: "resume elsewhere", expect: { result: { cwd: "{{user}}" } } },
      ),
      goOn(),
      completed,
      call("thread/read", { threadId: ID }, { as: "after" }),
    ],
  }),
  turnScenario({
    name: "thread-resume/path",
    about: "A path counts more than an id, and may lead anywhere.",
    files: { ...storedFiles(LEGACY), [`elsewhere/${FILE}`]: Object.values(storedFiles(PAGINATED))[0] ?? "" },
    volatile: RESUME_CURSORS,
    steps: [
      initialize(),
      resume(threadId(9), { path: `{{root}}/${pathOf(LEGACY)}` }, { as: "known" }),
      resume("not-a-thread", { path: `{{root}}/elsewhere/${FILE}` }, { as: "elsewhere" }),
      resume(threadId(9), { path: "{{root}}/nothing.jsonl" }, { as: "nothing there" }),
      resume(threadId(2), { ...BARE, path: "" }, { as: "empty" }),
    ],
  }),
  turnScenario({
    name: "thread-resume/path-elsewhere",
    about: "A thread in the old form may lie outside of the home, and goes on there.",
    files: { [`elsewhere/${pathOf(LEGACY)}`]: Object.values(storedFiles(LEGACY))[0] ?? "" },
    model: REPLIES,
    volatile: RESUME_CURSORS,
    steps: [
      initialize(),
      resume("not-a-thread", { path: `{{root}}/elsewhere/${pathOf(LEGACY)}` }),
      turn("Go on", { threadId: LEGACY.id }),
      completed,
      conversation,
      call("thread/read", { threadId: LEGACY.id, includeTurns: true }, { as: "read" }),
      call("thread/list", {}, { as: "list" }),
      { do: "restart" },
      initialize({ experimentalApi: true }, { as: "initialize again" }),
      resume(LEGACY.id, { path: `{{root}}/elsewhere/${pathOf(LEGACY)}` }, { as: "resume again" }),
    ],
  }),
  turnScenario({
    name: "thread-resume/archived",
    about: "An archived thread is to be unarchived first.",
    files: storedFiles({ ...PAGINATED, archived: true }),
    steps: [
      initialize(),
      resume(ID, {}, { expect: { error: { code: -32600 } } }),
      call("thread/unarchive", { threadId: ID }, { as: "unarchive", settles: true }),
      resume(ID, BARE, { as: "resume unarchived" }),
    ],
    volatile: RESUME_CURSORS,
  }),
  turnScenario({
    name: "thread-resume/without-a-file",
    about: "A thread that has had no turn has no file to be resumed from.",
    steps: [...withThread(), resume(THREAD, {}, { expect: { error: { code: -32600 } } })],
  }),
  turnScenario({
    name: "thread-resume/history",
    about: "A client may give a thread a history of its own, and a model with it.",
    model: REPLIES,
    volatile: RESUME_CURSORS,
    steps: [
      ...withThread(),
      turn("seed history"),
      completed,
      ...restarted(),
      resume(
        THREAD,
        {
          history: [
            { type: "message", role: "user", content: [{ type: "input_text", text: "Hello from history" }] },
          ],
          model: "mock-other",
          modelProvider: "mock",
        },
        { as: "given", expect: { result: { thread: { preview: "Hello from history" } } } },
      ),
      turn("Go on", {}, { as: "second", thread: "given" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "thread-resume/another-writer",
    about: "A thread that another program has open is refused until that has ended.",
    files: storedFiles(PAGINATED, LEGACY),
    model: REPLIES,
    volatile: RESUME_CURSORS,
    steps: [
      initialize(),
      ...[ID, threadId(2)].flatMap((id) => [
        call(
          "process/spawn",
          {
            command: [
              "sh",
              "-c",
              `mkdir -p thread-writer-locks; exec flock thread-writer-locks/${id}.lock sh -c 'echo held; cat'`,
            ],
            processHandle: id,
            cwd: "{{home}}",
            streamStdin: true,
            streamStdoutStderr: true,
          },
          { as: `hold ${id}` },
        ),
        { do: "await", message: { method: "process/outputDelta", params: { processHandle: id } } } as const,
        resume(id, BARE, {
          as: `refused ${id}`,
          expect: { error: { code: -32600, message: `thread ${id} already has an active writer` } },
        }),
        call("process/writeStdin", { processHandle: id, closeStdin: true }, { as: `release ${id}` }),
        { do: "await", message: { method: "process/exited", params: { processHandle: id } } } as const,
        resume(id, BARE, { as: `resume ${id}` }),
      ]),
      goOn(),
      completed,
    ],
  }),
  turnScenario({
    name: "thread-resume/missing-mcp-server",
    about: "A thread does not come back without an MCP server that it cannot do without.",
    files: storedFiles(PAGINATED),
    config: { tables: '[mcp_servers.required_broken]\ncommand = "not-a-program"\nrequired = true\n' },
    steps: [
      initialize(),
      resume(ID, {}, { expect: { error: { code: -32603 } } }),
      call("thread/loaded/list", {}, { as: "loaded" }),
    ],
  }),
];

export const threadResumeScenarios: readonly Scenario[] = [
  ...fromFiles,
  ...threadResumeUsageScenarios,
  ...threadResumeSettingsScenarios,
  ...threadResumeLoadedScenarios,
];
