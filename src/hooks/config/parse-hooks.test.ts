import { describe, expect, test } from "vitest";
import { parseHooksFile } from "./hooks-file.ts";
import { MAX_HOOKS_PER_FILE, type ParsedHooks, parseHooks } from "./parse-hooks.ts";

function parse(hooks: unknown): ParsedHooks {
  const file = parseHooksFile("/h.json", Buffer.from(JSON.stringify({ hooks })));
  if (file.kind !== "read") throw new Error(file.kind);
  return parseHooks({ path: "/h.json", tables: file.tables, knownKeys: ["state"], platform: "linux" });
}

const good = { type: "command", command: "good" };

describe("an invalid handler is skipped alone", () => {
  const AT = "/h.json (hooks.Stop[0].hooks[0])";
  test.each<[handler: unknown, warning: string]>([
    [3, `skipping hook in ${AT}: expected a table, found 3`],
    [null, `skipping hook in ${AT}: expected a table, found null`],
    [{}, `skipping Stop hook in ${AT}: type: is missing`],
    [{ type: 4 }, `skipping Stop hook in ${AT}: type: expected a string, found 4`],
    [
      { type: "x" },
      `skipping Stop hook in ${AT}: type: expected command, mcp_tool, http, prompt or module, found "x"`,
    ],
    [
      { type: "__proto__" },
      `skipping Stop hook in ${AT}: type: expected command, mcp_tool, http, prompt or module, found "__proto__"`,
    ],
    [{ type: "command" }, `skipping Stop hook in ${AT}: command: is missing`],
    [
      { type: "command", command: ["a"] },
      `skipping Stop hook in ${AT}: command: expected a string, found a list`,
    ],
    [{ type: "command", command: " " }, `skipping empty hook command in ${AT}`],
    [
      { ...good, timeout: 1.5 },
      `skipping Stop hook in ${AT}: timeout: expected a whole number, zero or more, found 1.5`,
    ],
    [
      { ...good, timeout: -1 },
      `skipping Stop hook in ${AT}: timeout: expected a whole number, zero or more, found -1`,
    ],
    [
      { ...good, timeout: "5" },
      `skipping Stop hook in ${AT}: timeout: expected a whole number, zero or more, found "5"`,
    ],
    [{ ...good, async: 1 }, `skipping Stop hook in ${AT}: async: expected true or false, found 1`],
    [
      { ...good, statusMessage: {} },
      `skipping Stop hook in ${AT}: statusMessage: expected a string, found a table`,
    ],
    [
      { ...good, onFailure: "shut" },
      `skipping Stop hook in ${AT}: onFailure: expected "open" or "closed" or "continue" or "block", found "shut"`,
    ],
    [
      { ...good, sandbox: "yes" },
      `skipping Stop hook in ${AT}: sandbox: expected true or false, found "yes"`,
    ],
    [{ type: "agent" }, `skipping agent hook in ${AT}: agent hooks are not supported yet`],
    [{ type: "prompt" }, `skipping Stop hook in ${AT}: prompt: is missing`],
    [{ type: "module", path: "" }, `skipping Stop hook in ${AT}: path: must not be blank`],
    [
      { type: "http", url: "file:///etc" },
      `skipping Stop hook in ${AT}: url: expected an address that begins with http:// or https://, found "file:///etc"`,
    ],
    [
      { type: "http", url: "http://h", headers: { a: 1 } },
      `skipping Stop hook in ${AT}: headers.a: expected a string, found 1`,
    ],
    [{ type: "mcp_tool", server: "s" }, `skipping Stop hook in ${AT}: tool: is missing`],
    [
      { type: "mcp_tool", server: "", tool: "t" },
      `skipping MCP tool hook in ${AT}: server and tool must not be empty`,
    ],
    [
      { type: "mcp_tool", server: "s", tool: "t", input: [1] },
      `skipping Stop hook in ${AT}: input: expected a table, found a list`,
    ],
    [
      { type: "mcp_tool", server: "s", tool: "t", input: { a: [null] } },
      `skipping Stop hook in ${AT}: input: must not have a null in it`,
    ],
  ])("%j", (handler, warning) => {
    const { definitions, warnings, failures } = parse({ Stop: [{ hooks: [handler, good] }] });
    expect(warnings).toEqual([warning]);
    expect(failures).toEqual([warning]);
    expect(definitions.map(({ group, index, handler }) => [group, index, handler])).toEqual([
      [0, 1, { type: "command", command: "good", isSandboxed: false }],
    ]);
  });
});

describe("an invalid group or table skips only its own handlers", () => {
  test.each<[hooks: unknown, warning: string]>([
    [{ Stop: 3 }, "skipping hooks in /h.json (hooks.Stop): expected a list, found 3"],
    [{ Stop: ["x"] }, 'skipping hooks in /h.json (hooks.Stop[0]): expected a table, found "x"'],
    [
      { Stop: [{ hooks: {} }] },
      "skipping hooks in /h.json (hooks.Stop[0]): hooks: expected a list, found a table",
    ],
    [
      { Stop: [{ matcher: 4, hooks: [good] }] },
      "skipping hooks in /h.json (hooks.Stop[0]): matcher: expected a string, found 4",
    ],
    [
      { PreToolUse: [{ matcher: "(?!x)", hooks: [good] }] },
      expect.stringMatching(
        /^invalid matcher "\(\?!x\)" in \/h\.json \(hooks\.PreToolUse\[0\]\): regex parse error:\n/u,
      ) as string,
    ],
    [
      { Nonsense: [{ hooks: [good] }] },
      expect.stringMatching(
        /^ignoring unknown hook event "Nonsense" in \/h\.json; events are PreModelRequest, /u,
      ) as string,
    ],
  ])("%j", (hooks, warning) => {
    const { definitions, warnings } = parse({ ...(hooks as object), SessionStart: [{ hooks: [good] }] });
    expect(warnings).toEqual([warning]);
    expect(definitions.map(({ event }) => event)).toEqual(["SessionStart"]);
  });

  test("tables that are none", () => {
    expect(parse(3).warnings).toEqual(["skipping hooks in /h.json: hooks: expected a table, found 3"]);
    expect(parse(null)).toEqual({ definitions: [], warnings: [], failures: [] });
  });
});

test("an invalid matcher of a group without handlers is no failure", () => {
  const { warnings, failures } = parse({ PreToolUse: [{ matcher: "[", hooks: [] }] });
  expect([warnings.length, failures.length]).toEqual([1, 0]);
});

test("the number of hooks and warnings of one file is limited", () => {
  const { definitions, warnings } = parse({
    Stop: [{ hooks: Array.from({ length: MAX_HOOKS_PER_FILE + 5 }, () => good) }, { hooks: [good] }],
  });
  expect(definitions).toHaveLength(MAX_HOOKS_PER_FILE);
  expect(warnings).toHaveLength(1);
  expect(parse({ Stop: [{ hooks: Array.from({ length: 200 }, () => ({})) }] }).warnings).toHaveLength(51);
});

describe("a handler gets defaults for absent members", () => {
  const only = (hooks: unknown) => {
    const { definitions, warnings } = parse(hooks);
    return { ...definitions[0], warnings };
  };
  test.each<[event: string, handler: object, expected: object]>([
    [
      "Stop",
      good,
      { timeoutSeconds: 600, isAsync: false, statusMessage: null, onFailure: "open", warnings: [] },
    ],
    ["Stop", { ...good, timeout: 0 }, { timeoutSeconds: 1, warnings: [] }],
    ["Stop", { ...good, timeoutSec: 4 }, { timeoutSeconds: 600, warnings: [] }],
    ["SessionEnd", good, { timeoutSeconds: 1, warnings: [] }],
    ["Interrupt", good, { timeoutSeconds: 1, warnings: [] }],
    [
      "Interrupt",
      { ...good, async: true, timeout: 9 },
      {
        timeoutSeconds: 3,
        isAsync: true,
        warnings: ["clamping Interrupt hook timeout to 3s in /h.json (hooks.Interrupt[0].hooks[0])"],
      },
    ],
    [
      "SessionEnd",
      { ...good, async: true },
      {
        isAsync: false,
        warnings: ["running async SessionEnd hook synchronously in /h.json (hooks.SessionEnd[0].hooks[0])"],
      },
    ],
    ["PreToolUse", { ...good, additionalContextLimit: 0 }, { additionalContextLimit: 0, warnings: [] }],
    [
      "Stop",
      { ...good, additionalContextLimit: 5 },
      {
        additionalContextLimit: null,
        warnings: [
          "ignoring additionalContextLimit for Stop hook in /h.json (hooks.Stop[0].hooks[0]): this event cannot emit additionalContext",
        ],
      },
    ],
    [
      "Stop",
      { ...good, sandbox: true, onFailure: "closed" },
      { handler: { type: "command", command: "good", isSandboxed: true }, onFailure: "closed" },
    ],
    [
      "Stop",
      { type: "http", url: "https://h/x", headers: { a: "b" } },
      { handler: { type: "http", url: "https://h/x", headers: { a: "b" } } },
    ],
    [
      "Stop",
      { type: "prompt", prompt: "ok?", model: null },
      { handler: { type: "prompt", prompt: "ok?", model: null } },
    ],
    [
      "Stop",
      { type: "module", path: "./x.mjs", async: true },
      { handler: { type: "module", path: "./x.mjs" }, isAsync: true },
    ],
    [
      "Stop",
      { type: "mcp_tool", server: "s", tool: "t", input: { a: { b: [1, 1.5, true] } } },
      { handler: { type: "mcp_tool", server: "s", tool: "t", input: { a: { b: [1, 1.5, true] } } } },
    ],
  ])("%s %j", (event, handler, expected) => {
    expect(only({ [event]: [{ hooks: [handler] }] })).toMatchObject(expected);
  });

  test("and the command of its platform", () => {
    const tables = {
      Stop: [
        {
          hooks: [
            { ...good, commandWindows: "w" },
            { ...good, command_windows: "v" },
          ],
        },
      ],
    };
    const commands = (platform: NodeJS.Platform) =>
      parseHooks({ path: "/h", tables, platform }).definitions.map(({ handler }) => handler);
    expect(commands("win32")).toMatchObject([{ command: "w" }, { command: "v" }]);
    expect(commands("linux")).toMatchObject([{ command: "good" }, { command: "good" }]);
  });
});

test("of many fields that are unknown a few are named", () => {
  const fields = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, 1]));
  const file = parseHooksFile("/h", Buffer.from(JSON.stringify(fields)));
  expect(file.kind === "read" && file.warnings.slice(9)).toEqual([
    'ignoring unknown field "x9" in /h; expected description or hooks',
    "ignoring 90 more unknown fields in /h",
  ]);
});

test.each<[text: string, expected: object]>([
  [
    '{"hooks":',
    { kind: "fault", warning: expect.stringMatching(/^failed to parse hooks config \/h: /u) as string },
  ],
  [
    "[]",
    {
      kind: "fault",
      warning: "failed to parse hooks config /h: expected an object with a member `hooks`, found a list",
    },
  ],
  [
    '{"x":1,"__proto__":2}',
    {
      kind: "read",
      warnings: [
        'ignoring unknown field "x" in /h; expected description or hooks',
        'ignoring unknown field "__proto__" in /h; expected description or hooks',
      ],
    },
  ],
  [
    '{"description":3}',
    { kind: "read", warnings: ["ignoring description in /h: expected a string, found 3"] },
  ],
  ['{"description":"d","hooks":{"Stop":[]}}', { kind: "read", warnings: [], tables: { Stop: [] } }],
  ["[".repeat(100_000), { kind: "fault" }],
])("a file with %.40s", (text, expected) => {
  expect(parseHooksFile("/h", Buffer.from(text))).toMatchObject(expected);
});
