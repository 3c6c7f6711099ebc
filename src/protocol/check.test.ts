import { describe, expect, it } from "vitest";
import { createChecker } from "./check.ts";
import { definitions } from "./generated/table.ts";

const checker = createChecker(definitions);

const refusalOf = (definition: string, value: unknown): string | null => {
  const verdict = checker.check(definition, value);
  return verdict.ok ? null : verdict.message;
};

/** Each text is the peer's response to the same value. */
const measured: readonly [definition: string, json: string, refusal: string | null][] = [
  // an object
  ["ThreadArchiveParams", "true", "invalid type: boolean `true`, expected struct ThreadArchiveParams"],
  ["ThreadArchiveParams", "5", "invalid type: integer `5`, expected struct ThreadArchiveParams"],
  ["ThreadArchiveParams", "1.5", "invalid type: floating point `1.5`, expected struct ThreadArchiveParams"],
  [
    "ThreadArchiveParams",
    "1e20",
    "invalid type: floating point `1e+20`, expected struct ThreadArchiveParams",
  ],
  ["ThreadArchiveParams", '"x"', 'invalid type: string "x", expected struct ThreadArchiveParams'],
  ["ThreadArchiveParams", "[]", "invalid length 0, expected struct ThreadArchiveParams with 1 element"],
  ["ThreadArchiveParams", "[1]", "invalid type: integer `1`, expected a string"],
  ["ThreadArchiveParams", "{}", "missing field `threadId`"],
  ["ThreadArchiveParams", '{"a":1}', "missing field `threadId`"],
  [
    "CommandExecTerminalSize",
    "[1]",
    "invalid length 1, expected struct CommandExecTerminalSize with 2 elements",
  ],
  [
    "InitializeCapabilities",
    "[]",
    "invalid length 4, expected struct InitializeCapabilities with 6 elements",
  ],
  // text
  ["ThreadArchiveParams", '{"threadId":null}', "invalid type: null, expected a string"],
  ["ThreadArchiveParams", '{"threadId":-1}', "invalid type: integer `-1`, expected a string"],
  ["ThreadArchiveParams", '{"threadId":[]}', "invalid type: sequence, expected a string"],
  ["ThreadArchiveParams", '{"threadId":{}}', "invalid type: map, expected a string"],
  ["ThreadArchiveParams", '{"threadId":""}', null],
  // true and false
  ["ThreadReadParams", '{"threadId":"a","includeTurns":null}', "invalid type: null, expected a boolean"],
  ["ThreadReadParams", '{"threadId":"a","includeTurns":"x"}', 'invalid type: string "x", expected a boolean'],
  ["ThreadListParams", '{"archived":null}', null],
  ["ThreadListParams", '{"archived":5}', "invalid type: integer `5`, expected a boolean"],
  // numbers
  ["ThreadListParams", '{"limit":-1}', "invalid value: integer `-1`, expected u32"],
  ["ThreadListParams", '{"limit":4294967296}', "invalid value: integer `4294967296`, expected u32"],
  ["ThreadListParams", '{"limit":1.5}', "invalid type: floating point `1.5`, expected u32"],
  ["ThreadListParams", '{"limit":true}', "invalid type: boolean `true`, expected u32"],
  ["ThreadGoalSetParams", '{"threadId":"a","tokenBudget":-1}', null],
  [
    "ThreadGoalSetParams",
    '{"threadId":"a","tokenBudget":1e-7}',
    "invalid type: floating point `1e-7`, expected i64",
  ],
  [
    "CommandExecResizeParams",
    '{"processId":"a","size":{"rows":70000,"cols":2}}',
    "invalid value: integer `70000`, expected u16",
  ],
  // sequences and maps
  ["ThreadListParams", '{"modelProviders":{}}', "invalid type: map, expected a sequence"],
  ["ThreadListParams", '{"modelProviders":[1]}', "invalid type: integer `1`, expected a string"],
  ["ThreadStartParams", '{"config":[]}', "invalid type: sequence, expected a map"],
  ["ThreadStartParams", '{"config":"x"}', 'invalid type: string "x", expected a map'],
  // a word out of several
  ["ThreadListParams", '{"sortKey":5}', "invalid type: integer `5`, expected string or map"],
  ["ThreadListParams", '{"sortKey":[]}', "invalid type: sequence, expected string or map"],
  ["ThreadListParams", '{"sortKey":{}}', "invalid value: map, expected map with a single key"],
  [
    "ThreadListParams",
    '{"sortKey":"x"}',
    "unknown variant `x`, expected one of `created_at`, `updated_at`, `recency_at`, `section_position`",
  ],
  [
    "ThreadListParams",
    '{"sortKey":{"a":1}}',
    "unknown variant `a`, expected one of `created_at`, `updated_at`, `recency_at`, `section_position`",
  ],
  [
    "ThreadMemoryModeSetParams",
    '{"threadId":"a","mode":"x"}',
    "unknown variant `x`, expected `enabled` or `disabled`",
  ],
  [
    "ReviewStartParams",
    '{"threadId":"a","target":{"type":"custom","instructions":"x"},"delivery":"x"}',
    "unknown variant `x`, expected `inline`",
  ],
  // words of which some carry something
  [
    "ThreadStartParams",
    '{"approvalPolicy":"x"}',
    "unknown variant `x`, expected one of `untrusted`, `on-request`, `granular`, `never`",
  ],
  [
    "ThreadStartParams",
    '{"approvalPolicy":"granular"}',
    "invalid type: unit variant, expected struct variant",
  ],
  [
    "ThreadStartParams",
    '{"approvalPolicy":{"granular":5}}',
    "invalid type: integer `5`, expected struct variant",
  ],
  [
    "ThreadStartParams",
    '{"approvalPolicy":{"granular":[]}}',
    "invalid length 0, expected struct variant AskForApproval::Granular with 5 elements",
  ],
  ["ThreadStartParams", '{"approvalPolicy":{"granular":{}}}', "missing field `sandbox_approval`"],
  ["ThreadStartParams", '{"approvalPolicy":{"never":1}}', "invalid type: integer `1`, expected unit"],
  [
    "ThreadStartParams",
    '{"approvalPolicy":{"never":null,"untrusted":null}}',
    "invalid value: map, expected map with a single key",
  ],
  [
    "ThreadStartParams",
    '{"multiAgentMode":"custom"}',
    "invalid type: unit variant, expected newtype variant",
  ],
  ["ThreadStartParams", '{"multiAgentMode":{"custom":5}}', "invalid type: integer `5`, expected a string"],
  // an object that names its variant
  [
    "TurnStartParams",
    '{"threadId":"a","input":["x"]}',
    'invalid type: string "x", expected internally tagged enum UserInput',
  ],
  ["TurnStartParams", '{"threadId":"a","input":[[]]}', "missing field `type`"],
  ["TurnStartParams", '{"threadId":"a","input":[{}]}', "missing field `type`"],
  [
    "TurnStartParams",
    '{"threadId":"a","input":[{"type":null}]}',
    "invalid type: null, expected variant identifier",
  ],
  ["TurnStartParams", '{"threadId":"a","input":[{"type":"text"}]}', "missing field `text`"],
  [
    "TurnStartParams",
    '{"threadId":"a","input":[{"text":5,"type":"x"}]}',
    "unknown variant `x`, expected one of `text`, `image`, `localImage`, `audio`, `localAudio`, `skill`, `mention`",
  ],
  [
    "TurnStartParams",
    '{"threadId":"a","input":[{"type":"text","text":"a","text_elements":null}]}',
    "invalid type: null, expected a sequence",
  ],
  [
    "TurnStartParams",
    '{"threadId":"a","input":[],"sandboxPolicy":5}',
    "invalid type: integer `5`, expected internally tagged enum SandboxPolicyDeserialize",
  ],
  [
    "TurnStartParams",
    '{"threadId":"a","input":[],"sandboxPolicy":{"type":"workspaceWrite","writableRoots":["x"]}}',
    "AbsolutePathBuf deserialized without a base path",
  ],
  ["ThreadResumeParams", '{"threadId":"a","history":[{"type":"of the future"}]}', null],
  // alternatives
  [
    "TurnStartParams",
    '{"threadId":"a","input":[{"type":"image"}]}',
    "data did not match any variant of untagged enum ImageReference",
  ],
  ["TurnStartParams", '{"threadId":"a","input":[{"type":"image","url":null,"fileId":"b"}]}', null],
  ["TurnStartParams", '{"threadId":"a","input":[{"type":"image","url":"a","fileId":"b"}]}', null],
  [
    "TurnStartParams",
    '{"threadId":"a","input":[{"type":"image","url":"a","detail":5}]}',
    "invalid type: integer `5`, expected string or map",
  ],
  ["ThreadListParams", '{"cwd":[1]}', "data did not match any variant of untagged enum ThreadListCwdFilter"],
  [
    "ThreadItemsListParams",
    '{"threadId":"a","cursor":{}}',
    "data did not match any variant of untagged enum ThreadItemsListCursor",
  ],
  [
    "GetConversationSummaryParams",
    '{"conversationId":"x"}',
    "data did not match any variant of untagged enum GetConversationSummaryParams",
  ],
  ["ThreadStartParams", '{"dynamicTools":[{}]}', "missing field `name`"],
  ["ThreadStartParams", '{"dynamicTools":[{"name":"a","description":"b","inputSchema":{}}]}', null],
  [
    "ThreadStartParams",
    '{"dynamicTools":[{"type":"x"}]}',
    "unknown variant `x`, expected `function` or `namespace`",
  ],
  // paths and other text with a meaning
  ["FsReadFileParams", '{"path":5}', "invalid type: integer `5`, expected path string"],
  ["FsReadFileParams", '{"path":""}', "AbsolutePathBuf deserialized without a base path"],
  ["FsReadFileParams", '{"path":"~/a"}', "AbsolutePathBuf deserialized without a base path"],
  ["CommandExecParams", '{"command":["a"],"cwd":true}', "invalid type: boolean `true`, expected path string"],
  [
    "SelectedCapabilityRoot",
    '{"id":"a","location":{"type":"environment","environmentId":"a","path":"./a"}}',
    "path `./a` is not absolute",
  ],
  [
    "SelectedCapabilityRoot",
    '{"id":"a","location":{"type":"environment","environmentId":"a","path":"file:///a"}}',
    null,
  ],
  ["TurnStartParams", '{"threadId":"a","input":[],"effort":""}', "reasoning_effort must not be empty"],
  // the order in which problems are found
  ["TurnStartParams", '{"threadId":5,"input":5}', "invalid type: integer `5`, expected a string"],
  ["TurnStartParams", '{"input":5,"threadId":5}', "invalid type: integer `5`, expected a sequence"],
  ["TurnStartParams", '{"model":5}', "invalid type: integer `5`, expected a string"],
  ["TurnStartParams", "{}", "missing field `threadId`"],
  ["TurnStartParams", '{"threadId":"a"}', "missing field `input`"],
  // unknown members
  [
    "TurnSettingsUpdateParams",
    '{"zz":1}',
    "unknown field `zz`, expected one of `threadId`, `turnId`, `approvalsReviewer`, `model`, `effort`, `summary`, `serviceTier`",
  ],
  [
    "McpResourceReadParams",
    '{"server":"a","uri":"a","target":{"connectorId":"a"}}',
    "missing field `linkId`",
  ],
  [
    "ThreadListParams",
    '{"limit":"\\u0001\\u007f\\u0000\\u200b\\u0301\\ud83d\\ude00\'"}',
    'invalid type: string "\\u{1}\\u{7f}\\0\\u{200b}\\u{301}😀\'", expected u32',
  ],
];

describe("a refusal has the words of the peer", () => {
  it.each(measured)("%s %s: %s", (definition, json, refusal) => {
    expect(refusalOf(definition, JSON.parse(json))).toBe(refusal);
  });
});

describe("the queue takes the params of both generations", () => {
  it("takes input with a client id, or a whole turn", () => {
    const input = [{ type: "text", text: "hello" }];
    expect([
      refusalOf("ThreadQueueAddParams", { threadId: "a", input, clientUserMessageId: "b" }),
      refusalOf("ThreadQueueAddParams", { threadId: "a", turnStartParams: { threadId: "a", input } }),
    ]).toEqual([null, null]);
  });

  it("misses the members of the newer generation when it has those of neither", () => {
    expect([
      refusalOf("ThreadQueueAddParams", { threadId: "a" }),
      refusalOf("ThreadQueueAddParams", { threadId: "a", input: [] }),
      refusalOf("ThreadQueueReorderParams", { threadId: "a" }),
    ]).toEqual([
      "missing field `input`",
      "missing field `clientUserMessageId`",
      "missing field `queuedSubmissionIds`",
    ]);
  });

  it("takes either name of the ids to reorder and to delete", () => {
    expect([
      refusalOf("ThreadQueueReorderParams", { threadId: "a", queuedTurnIds: ["b"] }),
      refusalOf("ThreadQueueReorderParams", { threadId: "a", queuedSubmissionIds: ["b"] }),
      refusalOf("ThreadQueueDeleteParams", { threadId: "a", queuedTurnId: "b" }),
    ]).toEqual([null, null, null]);
  });
});

describe("approvals of the first generation", () => {
  it("can be refused with a word or with a reason", () => {
    expect([
      refusalOf("ExecCommandApprovalResponse", { decision: "denied" }),
      refusalOf("ExecCommandApprovalResponse", { decision: { denied: { rejection: "no" } } }),
      refusalOf("ExecCommandApprovalResponse", { decision: "approved_execpolicy_amendment" }),
    ]).toEqual([null, null, "invalid type: unit variant, expected struct variant"]);
  });
});

describe("the use of experimental members is reported", () => {
  const granular = { granular: { sandbox_approval: true, rules: true, mcp_elicitations: true } };
  const used: readonly [definition: string, value: unknown, reason: string | null][] = [
    ["ThreadStartParams", {}, null],
    ["ThreadStartParams", { dynamicTools: null }, null],
    ["ThreadStartParams", { dynamicTools: [] }, "thread/start.dynamicTools"],
    ["ThreadStartParams", { daybreakEnabled: false }, "thread/start.daybreakEnabled"],
    ["ThreadStartParams", { experimentalRawEvents: false }, null],
    ["ThreadStartParams", { experimentalRawEvents: true }, "thread/start.experimentalRawEvents"],
    ["ThreadStartParams", { approvalPolicy: "never" }, null],
    ["ThreadStartParams", { approvalPolicy: granular }, "askForApproval.granular"],
    [
      "ThreadStartParams",
      { experimentalRawEvents: true, approvalPolicy: granular },
      "askForApproval.granular",
    ],
    ["LoginAccountParams", { type: "apiKey", apiKey: "a" }, null],
    [
      "LoginAccountParams",
      { type: "chatgptAuthTokens", accessToken: "a", chatgptAccountId: "b" },
      "account/login/start.chatgptAuthTokens",
    ],
  ];

  it.each(used)("%s %j uses %s", (definition, value, reason) => {
    expect(checker.check(definition, value)).toEqual({ ok: true, experimental: reason });
  });
});

describe("hostile input does no harm", () => {
  it("takes nothing from the prototype of an object", () => {
    const own = JSON.parse('{"__proto__":{"threadId":"a"},"constructor":5,"toString":null}');
    expect(refusalOf("ThreadArchiveParams", own)).toBe("missing field `threadId`");
    expect(refusalOf("ThreadArchiveParams", { ...own, threadId: "a" })).toBe(null);
  });

  it("finds no variant under the name of a built-in", () => {
    expect(refusalOf("UserInput", { type: "constructor" })).toMatch(/^unknown variant `constructor`/);
    expect(refusalOf("AskForApproval", JSON.parse('{"__proto__":1}'))).toMatch(
      /^unknown variant `__proto__`/,
    );
  });

  it("stops at a depth that no honest message has", () => {
    const tree = createChecker({
      Tree: '{"type":"object","properties":{"next":{"anyOf":[{"$ref":"Tree"},{"type":"null"}]}}}',
    });
    const nested = (depth: number): unknown =>
      JSON.parse(`${'{"next":'.repeat(depth)}null${"}".repeat(depth)}`);
    expect(tree.check("Tree", nested(100))).toEqual({ ok: true, experimental: null });
    expect(tree.check("Tree", nested(50_000))).toEqual({ ok: false, message: "recursion limit exceeded" });
    expect(tree.check("Tree", nested(100))).toEqual({ ok: true, experimental: null });
  });

  it("passes by what it need not look at, however deep", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`);
    expect(refusalOf("ThreadStartParams", { config: { deep } })).toBe(null);
  });

  it("knows no definition that was not given to it", () => {
    expect(() => checker.check("toString", {})).toThrow("there is no definition toString");
  });
});
