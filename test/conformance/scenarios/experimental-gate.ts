/** What a client may use only after it has asked for the experimental API. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, refused, STDIO, STDIO_AND_WS } from "../steps.ts";

const threadId = "00000000-0000-7000-8000-000000000001";

/** One well-formed request for each experimental method; a malformed one is refused for its form first. */
const METHODS: readonly [string, unknown][] = [
  ["server/diagnostics", {}],
  ["thread/queue/add", { threadId, clientUserMessageId: "c", input: [] }],
  ["thread/queue/list", { threadId }],
  ["thread/queue/update", { threadId, queuedSubmissionId: "q", input: [] }],
  ["thread/queue/delete", { threadId, queuedSubmissionId: "q" }],
  ["thread/queue/reorder", { threadId, queuedSubmissionIds: [] }],
  ["thread/queue/start", { threadId }],
  ["thread/settings/update", { threadId: "thr_123" }],
  ["thread/memoryMode/set", { threadId: "thr_123", mode: "disabled" }],
  ["thread/increment_elicitation", { threadId }],
  ["thread/decrement_elicitation", { threadId }],
  ["thread/backgroundTerminals/clean", { threadId }],
  ["thread/backgroundTerminals/list", { threadId }],
  ["thread/backgroundTerminals/terminate", { threadId, processId: "1" }],
  ["thread/search", { searchTerm: "a" }],
  ["thread/searchOccurrences", { threadId, searchTerm: "a" }],
  ["thread/items/read", { threadId, turnId: "t", itemIds: [] }],
  ["thread/timeline/list", { threadId }],
  ["turn/settings/update", { threadId, turnId: "t" }],
  ["collaborationMode/list", {}],
  ["environment/info", { environmentId: "local" }],
  ["process/spawn", { command: ["true"], cwd: "/", processHandle: "p" }],
  ["process/writeStdin", { processHandle: "p" }],
  ["process/kill", { processHandle: "p" }],
  ["process/resizePty", { processHandle: "p", size: { cols: 80, rows: 24 } }],
  ["fuzzyFileSearch/sessionStart", { sessionId: "s", roots: [] }],
  ["fuzzyFileSearch/sessionUpdate", { sessionId: "s", query: "" }],
  ["fuzzyFileSearch/sessionStop", { sessionId: "s" }],
];

/** Experimental methods of things that Heddle leaves out. */
const LEFT_OUT: readonly [string, unknown][] = [
  ["mock/experimentalMethod", {}],
  ["thread/realtime/start", { threadId: "thr_123", outputModality: "audio" }],
  [
    "thread/realtime/start",
    { threadId: "thr_123", outputModality: "audio", transport: { type: "webrtc", sdp: "v=offer\r\n" } },
  ],
  ["project/list", {}],
  ["remoteControl/enable", {}],
  ["account/bedrock/checkGovCloudRequirements", {}],
  ["memory/status", {}],
];

const needsCapability = ([method, params]: readonly [string, unknown]) =>
  refused(method, params, `${method} requires experimentalApi capability`);

const GRANULAR = {
  granular: {
    sandbox_approval: true,
    rules: false,
    skill_approval: false,
    request_permissions: true,
    mcp_elicitations: false,
  },
};

export const experimentalGateScenarios: readonly Scenario[] = [
  {
    name: "experimental/methods-need-the-capability",
    about:
      "An experimental method is refused by name on a connection that did not ask for the experimental API.",
    transports: STDIO_AND_WS,
    steps: [initialize({ experimentalApi: false }), ...METHODS.map(needsCapability)],
  },
  {
    name: "experimental/left-out-methods",
    about: "The experimental methods of things that Heddle leaves out need the capability too.",
    transports: STDIO,
    steps: [initialize({ experimentalApi: false }), ...LEFT_OUT.map(needsCapability)],
  },
  {
    name: "experimental/malformed-comes-first",
    about: "A malformed experimental request is refused for its form, also without the capability.",
    transports: STDIO,
    steps: [
      initialize(null),
      refused("thread/queue/list", {}, "Invalid request: missing field `threadId`", "no thread id"),
      refused(
        "thread/queue/list",
        { threadId: 5 },
        "Invalid request: invalid type: integer `5`, expected a string",
        "number",
      ),
    ],
  },
  {
    name: "experimental/fields-need-the-capability",
    about: "An experimental member of a stable method is refused as method and member.",
    transports: STDIO,
    steps: [
      initialize(null),
      ...[
        ["mockExperimentalField", "mock"],
        ["dynamicTools", []],
        ["permissions", ":read-only"],
        ["runtimeWorkspaceRoots", []],
        ["historyMode", "paginated"],
        ["environments", []],
        ["experimentalRawEvents", true],
      ].map(([field, value]) =>
        call(
          "thread/start",
          { [String(field)]: value },
          {
            as: `thread/start with ${String(field)}`,
            expect: {
              error: {
                code: -32600,
                message: `thread/start.${String(field)} requires experimentalApi capability`,
              },
            },
          },
        ),
      ),
      ...(
        [
          ["thread/resume", { threadId, permissions: ":read-only" }],
          ["thread/fork", { threadId, beforeTurnId: "t" }],
          ["thread/list", { parentThreadId: threadId }],
          [
            "turn/start",
            { threadId, input: [], collaborationMode: { mode: "default", settings: { model: "m" } } },
          ],
          ["turn/start", { threadId, input: [], permissions: ":read-only" }],
          ["turn/start", { threadId, input: [], responsesapiClientMetadata: {} }],
        ] as const
      ).map(([method, params], index) => call(method, params, { as: `${method} ${index}` })),
    ],
  },
  {
    name: "experimental/variants-need-the-capability",
    about: "An experimental value of a stable member is refused by the type and the value.",
    transports: STDIO,
    steps: [
      initialize({ experimentalApi: false }),
      refused(
        "thread/start",
        { approvalPolicy: GRANULAR },
        "askForApproval.granular requires experimentalApi capability",
      ),
    ],
  },
  {
    name: "experimental/null-fields-are-free",
    about:
      "An experimental member that is null needs no capability, and a thread starts without any of them.",
    transports: STDIO,
    steps: [
      initialize({ experimentalApi: false }),
      call(
        "thread/start",
        { model: "mock-model", dynamicTools: null, permissions: null },
        { settles: true, expect: { result: {} } },
      ),
    ],
  },
  {
    name: "experimental/per-connection",
    about: "The capability belongs to the connection that asked for it.",
    transports: ["ws"],
    steps: [
      initialize({ experimentalApi: true }),
      { do: "connect", as: "second" },
      initialize({ experimentalApi: false }, { on: "second", as: "second initialize" }),
      call("collaborationMode/list", {}, { as: "with", expect: { result: {} } }),
      call(
        "collaborationMode/list",
        {},
        {
          as: "without",
          on: "second",
          expect: { error: { message: "collaborationMode/list requires experimentalApi capability" } },
        },
      ),
    ],
  },
  {
    name: "experimental/mock-method",
    about: "The experimental method that exists for tests echoes what it is given.",
    transports: STDIO,
    steps: [
      initialize(),
      call("mock/experimentalMethod", { value: "hello" }, { as: "echo" }),
      call("mock/experimentalMethod", {}, { as: "nothing to echo" }),
    ],
  },
];
