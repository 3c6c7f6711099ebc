/** Requests that are refused: by shape, by value, and by what they refer to. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, refused, STDIO, STDIO_AND_WS, stillServes } from "../steps.ts";

const unknownThread = "00000000-0000-7000-8000-000000000001";
const REMOTE_IMAGE = "remote image URLs are not supported; use an inline data URL instead";

const LEGACY_PROFILE = {
  network: { enabled: false },
  fileSystem: { entries: [{ path: { type: "special", value: { kind: "root" } }, access: "read" }] },
};

const image = (url: string) => [{ type: "image", url, detail: "high" }];
const text = (value: string) => [{ type: "text", text: value }];

export const requestScenarios: readonly Scenario[] = [
  {
    name: "requests/unknown-method",
    about: "An unknown method is refused with the list of all methods.",
    transports: STDIO_AND_WS,
    steps: [
      initialize(),
      refused(
        "no/such/method",
        {},
        { $regex: "^Invalid request: unknown variant `no/such/method`, expected one of " },
      ),
      refused(
        "thread/rollback",
        { threadId: "x", numTurns: 1 },
        { $regex: "^Invalid request: unknown variant `thread/rollback`" },
      ),
    ],
  },
  {
    name: "requests/shape",
    about:
      "A value of the wrong type, a missing member, an unknown value and a relative path are named in the refusal.",
    transports: STDIO,
    steps: [
      initialize(),
      refused(
        "thread/read",
        { threadId: 5 },
        "Invalid request: invalid type: integer `5`, expected a string",
        "integer",
      ),
      call("thread/read", { threadId: 1.5 }, { as: "float" }),
      call("thread/read", { threadId: true }, { as: "boolean" }),
      call("thread/read", { threadId: null }, { as: "null" }),
      call("thread/read", { threadId: [] }, { as: "list" }),
      call("thread/read", { threadId: {} }, { as: "object" }),
      call("thread/loaded/list", { limit: -1 }, { as: "negative" }),
      call("thread/loaded/list", { limit: 1.5 }, { as: "fraction" }),
      call("thread/loaded/list", { limit: "1" }, { as: "text for a number" }),
      call("thread/loaded/list", { limit: 4294967296 }, { as: "too big" }),
      call(
        "thread/read",
        {},
        { as: "missing", expect: { error: { message: "Invalid request: missing field `threadId`" } } },
      ),
      call("turn/start", { threadId: unknownThread }, { as: "missing input" }),
      call("thread/start", { sandbox: "workspaceWrite" }, { as: "unknown value" }),
      call("thread/start", { approvalPolicy: "sometimes" }, { as: "unknown policy" }),
      call(
        "turn/start",
        { threadId: unknownThread, input: [{ type: "nothing" }] },
        { as: "unknown kind of input" },
      ),
      call("turn/start", { threadId: unknownThread, input: [{ text: "a" }] }, { as: "no kind of input" }),
      call(
        "config/value/write",
        { keyPath: "a", value: 1, mergeStrategy: "append" },
        { as: "unknown strategy" },
      ),
      call("config/read", { includeLayers: "yes" }, { as: "text for a boolean" }),
      refused(
        "fs/readFile",
        { path: "relative" },
        "Invalid request: AbsolutePathBuf deserialized without a base path",
      ),
    ],
  },
  {
    name: "requests/removed-permission-profile",
    about:
      "The removed permissionProfile member is refused on every method that had it, and nothing is started.",
    transports: STDIO_AND_WS,
    steps: [
      initialize(),
      ...(
        [
          ["thread/start", {}],
          ["thread/resume", { threadId: "missing-thread", permissions: ":read-only" }],
          ["thread/fork", { threadId: "missing-thread" }],
          ["turn/start", { threadId: "missing-thread", input: [] }],
        ] as const
      ).map(([method, params]) =>
        call(
          method,
          { ...params, permissionProfile: LEGACY_PROFILE },
          {
            expect: {
              error: {
                code: -32602,
                message: `\`permissionProfile\` is no longer supported for \`${method}\`; use \`permissions\` with a named profile id instead`,
              },
            },
          },
        ),
      ),
      stillServes("nothing was loaded"),
      call("thread/start", { permissionProfile: null }, { as: "null profile", settles: true }),
    ],
  },
  {
    name: "requests/unknown-field-with-permissions",
    about: "An unknown member is ignored beside a named permission profile.",
    transports: STDIO,
    steps: [
      initialize(),
      call(
        "thread/start",
        { permissions: ":read-only", futureField: { ignored: true } },
        {
          settles: true,
          expect: {
            result: {
              sandbox: { type: "readOnly", networkAccess: false },
              activePermissionProfile: { id: ":read-only" },
            },
          },
        },
      ),
    ],
  },
  {
    name: "requests/remote-images",
    about: "An image that would have to be fetched is refused on every way in.",
    transports: STDIO,
    steps: [
      initialize(),
      call("thread/start", {}, { as: "thread", settles: true }),
      refused(
        "turn/start",
        { threadId: "{{thread.result.thread.id}}", input: image("HTTP://example.com/start.png") },
        REMOTE_IMAGE,
      ),
      refused(
        "turn/steer",
        {
          threadId: "{{thread.result.thread.id}}",
          expectedTurnId: "turn-id",
          input: image("https://example.com/steer.png"),
        },
        REMOTE_IMAGE,
      ),
      refused(
        "thread/inject_items",
        {
          threadId: "{{thread.result.thread.id}}",
          items: [
            {
              type: "function_call_output",
              call_id: "call-1",
              output: [{ type: "input_image", image_url: "https://example.com/tool.png", detail: "high" }],
            },
          ],
        },
        REMOTE_IMAGE,
      ),
    ],
  },
  {
    name: "requests/thread-ids",
    about: "A thread id that is no UUID is refused with what is wrong with it.",
    transports: STDIO,
    steps: [
      initialize(),
      refused("thread/read", { threadId: "abc" }, { $regex: "^invalid thread id: " }, "short"),
      call("thread/read", { threadId: "" }, { as: "empty" }),
      call("thread/read", { threadId: "zzzzzzzz-0000-7000-8000-000000000001" }, { as: "bad letter" }),
      call("turn/start", { threadId: "abc", input: [] }, { as: "turn/start short" }),
      call("turn/interrupt", { threadId: "abc", turnId: "t" }, { as: "turn/interrupt short" }),
      call("thread/resume", { threadId: "abc" }, { as: "thread/resume short" }),
      call("thread/archive", { threadId: "abc" }, { as: "thread/archive short" }),
      call("thread/unsubscribe", { threadId: "abc" }, { as: "thread/unsubscribe short" }),
      call("thread/name/set", { threadId: "abc", name: "n" }, { as: "thread/name/set short" }),
      call("thread/turns/list", { threadId: "abc" }, { as: "thread/turns/list short" }),
    ],
  },
  {
    name: "requests/unknown-thread",
    about: "Each method says in its own words that there is no such thread.",
    transports: STDIO,
    steps: [
      initialize(),
      ...(
        [
          ["turn/start", { input: [] }, `thread not found: ${unknownThread}`],
          ["turn/steer", { expectedTurnId: "t", input: text("a") }, `thread not found: ${unknownThread}`],
          ["turn/interrupt", { turnId: "t" }, `thread not found: ${unknownThread}`],
          ["thread/read", {}, `thread not loaded: ${unknownThread}`],
          ["thread/turns/list", {}, `thread not loaded: ${unknownThread}`],
          ["thread/resume", {}, `no rollout found for thread id ${unknownThread}`],
          ["thread/fork", {}, `no rollout found for thread id ${unknownThread}`],
          ["thread/archive", {}, `no rollout found for thread id ${unknownThread}`],
          ["thread/delete", {}, `no rollout found for thread id ${unknownThread}`],
          ["thread/name/set", { name: "n" }, `no rollout found for thread id ${unknownThread}`],
          ["thread/unarchive", {}, `no archived rollout found for thread id ${unknownThread}`],
        ] as const
      ).map(([method, params, message]) => refused(method, { threadId: unknownThread, ...params }, message)),
      ...[
        "thread/goal/get",
        "thread/goal/clear",
        "thread/compact/start",
        "thread/unsubscribe",
        "thread/items/list",
      ].map((method) => call(method, { threadId: unknownThread })),
      call("thread/shellCommand", { threadId: unknownThread, command: "true" }),
      call("thread/inject_items", { threadId: unknownThread, items: [] }),
      call("thread/queue/list", { threadId: unknownThread }),
      call("thread/settings/update", { threadId: unknownThread }),
      call("review/start", { threadId: unknownThread, target: { type: "uncommittedChanges" } }),
    ],
  },
  {
    name: "requests/cursors",
    about: "A cursor that the server did not give is refused.",
    transports: STDIO,
    steps: [
      initialize(),
      refused("model/list", { cursor: "invalid" }, "invalid cursor: invalid"),
      refused("thread/list", { cursor: "zzz" }, "invalid cursor: zzz"),
      call("thread/loaded/list", { cursor: "zzz" }),
      call("permissionProfile/list", { cursor: "zzz" }),
      call("experimentalFeature/list", { cursor: "zzz" }),
    ],
  },
  {
    name: "requests/input-too-long",
    about: "More than 1 048 576 characters of input are refused with the numbers.",
    transports: STDIO,
    steps: [
      initialize(),
      call("thread/start", {}, { as: "thread", settles: true }),
      call(
        "turn/start",
        { threadId: "{{thread.result.thread.id}}", input: text("x".repeat(1_048_577)) },
        {
          expect: {
            error: {
              code: -32602,
              message: "Input exceeds the maximum length of 1048576 characters.",
              data: { input_error_code: "input_too_large", max_chars: 1048576, actual_chars: 1048577 },
            },
          },
        },
      ),
    ],
  },
  {
    name: "requests/older-policy",
    about: "An approval policy that the protocol once had.",
    transports: STDIO,
    steps: [
      initialize(),
      call("thread/start", { approvalPolicy: "on-failure" }, { as: "thread", settles: true }),
    ],
  },
  {
    name: "requests/file-system-errors",
    about: "A failing file operation gives the operating system's text.",
    transports: STDIO,
    steps: [
      initialize(),
      call(
        "fs/readFile",
        { path: "{{workspace}}/missing" },
        {
          expect: { error: { code: -32603, message: "No such file or directory (os error 2)" } },
        },
      ),
      stillServes("after the failure"),
    ],
  },
];
