/** One test for each difference between the dialects. */
import { describe, expect, test } from "vitest";
import { createTable } from "../../config/toml/toml-value.ts";
import { discoverHooks } from "../config/discover-hooks.ts";
import { parseHooksFile, toToml } from "../config/hooks-file.ts";
import { parseMatcher } from "../config/matcher.ts";
import { parseHooks } from "../config/parse-hooks.ts";
import { parseSettingsFile } from "../config/settings-file.ts";
import type { HookDialect } from "../configured-hook.ts";
import { decide } from "../events/index.ts";
import { CLAUDE, CODEX, exited, summary } from "../events/outcome-summary.fixture.ts";
import { readOutcome } from "../events/read-outcome.ts";
import type { HookEventName } from "../hook-event.ts";
import type { HandlerResult } from "../outcome.ts";
import { type CallFacts, toClaudeCalls } from "./claude-calls.ts";
import { toSystemReminder } from "./system-reminder.ts";

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const good = { type: "command", command: "good" };

const parse = (dialect: HookDialect, event: HookEventName, ...handlers: readonly unknown[]) =>
  parseHooks({
    path: "/f",
    tables: createTable([[event, [toToml({ hooks: handlers })]] as never]),
    dialect,
    platform: "linux",
  });

const timeouts = (dialect: HookDialect, event: HookEventName, handler: object = good) =>
  parse(dialect, event, handler).definitions.map(({ timeoutSeconds }) => timeoutSeconds);

/** The outcome of a hook of each dialect for this result of its program. */
function read(event: HookEventName, result: HandlerResult): Readonly<Record<HookDialect, string[]>> {
  return {
    codex: summary(readOutcome(event, result, CODEX)),
    claude: summary(readOutcome(event, result, CLAUDE)),
  };
}

function decideFor<E extends HookEventName>(
  dialect: HookDialect,
  event: E,
  ...results: readonly HandlerResult[]
) {
  const traits = dialect === "codex" ? CODEX : CLAUDE;
  return decide(
    event,
    results.map((result, displayOrder) => ({
      runId: `run-${displayOrder}`,
      hook: { key: `hook-${displayOrder}`, displayOrder, dialect, additionalContextLimit: null },
      outcome: readOutcome(event, result, traits),
    })),
  );
}

const KNOWN = {
  session_id: "thread",
  transcript_path: null,
  cwd: "/w",
  permission_mode: "default",
  model: "m",
  turn_id: "turn",
};
const FACTS: CallFacts = { aliases: [], files: null, hasFailed: false };

function hookInput(event: HookEventName, own: object, facts: Partial<CallFacts> = {}) {
  const available = { ...KNOWN, hook_event_name: event, ...own };
  return toClaudeCalls(event, available, [], { ...FACTS, ...facts });
}

const specific = (hookEventName: string, members: object) => ({
  hookSpecificOutput: { hookEventName, ...members },
});

describe("the dialects differ in", () => {
  test("file", () => {
    const settings = { permissions: {}, hooks: { Stop: [] } };
    expect(parseSettingsFile("/s", bytes(settings))).toMatchObject({ kind: "read", disablesAll: false });
    expect(parseHooksFile("/h", bytes(settings))).toMatchObject({
      warnings: [expect.stringContaining('unknown field "permissions"')],
    });
  });

  test("unknown handler type", () => {
    for (const type of ["agent", "module", "sms"]) {
      const { definitions, warnings } = parse("claude", "Stop", { type, path: "x" }, good);
      expect([definitions.length, warnings.length]).toEqual([1, 1]);
    }
    const types = parse(
      "claude",
      "PreToolUse",
      { ...good, args: ["a"] },
      { type: "http", url: "https://h/" },
      { type: "mcp_tool", server: "s", tool: "t" },
      { type: "prompt", prompt: "fine?" },
    ).definitions.map(({ handler }) => handler.type);
    expect(types).toEqual(["command", "http", "mcp_tool", "prompt"]);
  });

  test.each<[matcher: string, subject: string, codex: boolean, claude: boolean]>([
    ["Edit, Write", "Write", false, true],
    ["Edit Write", "Write", false, true],
    ["mcp__brave-search__find", "mcp__brave-search__find_all", true, false],
    ["Edit|Write", "MultiEdit", false, false],
    ["Edit.*", "NotebookEdit", true, true],
  ])("matcher exact set: %s and %s", (written, subject, codex, claude) => {
    const matches = (dialect: HookDialect) => {
      const matcher = parseMatcher("PreToolUse", written, dialect);
      return matcher.ok && matcher.matches([subject]);
    };
    expect([matches("codex"), matches("claude")]).toEqual([codex, claude]);
  });

  test.each(["UserPromptSubmit", "Stop"] as const)(
    "matcher on UserPromptSubmit/Stop: ignored on %s",
    (event) => {
      for (const dialect of ["codex", "claude"] as const) {
        expect(parseMatcher(event, "(", dialect)).toMatchObject({ ok: true, matcher: null });
      }
    },
  );

  test.each<[own: object, facts: Partial<CallFacts>, names: readonly string[]]>([
    [{ tool_name: "Bash", tool_input: { command: "ls" } }, {}, ["Bash"]],
    [{ tool_name: "write_stdin", tool_input: { session_id: 1, chars: "ls\n" } }, {}, ["Bash"]],
    [{ tool_name: "view_image", tool_input: { path: "a.png" } }, {}, ["Read"]],
    [{ tool_name: "spawn_agent", tool_input: {} }, {}, ["Agent"]],
    [{ tool_name: "mcp__s__t", tool_input: {} }, {}, ["mcp__s__t"]],
    [
      { tool_name: "mcp__my_files__delete_all", tool_input: {} },
      { aliases: ["mcp__my-files__delete-all"] },
      ["mcp__my-files__delete-all"],
    ],
    [{ tool_name: "apply_patch", tool_input: { command: "?" } }, {}, ["Edit"]],
    [
      { tool_name: "apply_patch", tool_input: { command: "" } },
      {
        aliases: ["Bash"],
        files: [
          { kind: "add", path: "/w/a", text: "" },
          { kind: "delete", path: "/w/b" },
        ],
      },
      ["Write", "Edit", "Bash"],
    ],
  ])("tool names: %j", (own, facts, names) => {
    expect(hookInput("PreToolUse", own, facts).map(({ input }) => input["tool_name"])).toEqual(names);
  });

  test("an MCP tool is matched by its Claude Code name and by the model's name for it", () => {
    const own = { tool_name: "mcp__my_files__delete_all", tool_input: {} };
    const [call] = hookInput("PreToolUse", own, { aliases: ["mcp__my-files__delete-all"] });
    for (const matcher of ["mcp__my-files__delete-all", "mcp__my_files__delete_all", "mcp__my-files__.*"]) {
      const parsed = parseMatcher("PreToolUse", matcher, "claude");
      expect([matcher, parsed.ok && parsed.matches(call?.subjects ?? [])]).toEqual([matcher, true]);
    }
  });

  test("tool_input for edits", () => {
    const files: CallFacts["files"] = [
      { kind: "add", path: "/w/a", text: "new\n" },
      { kind: "update", path: "/w/b", before: "old", after: "new" },
      { kind: "delete", path: "/w/c" },
    ];
    const calls = hookInput(
      "PreToolUse",
      { tool_name: "apply_patch", tool_input: { command: "" } },
      { files },
    );
    expect(calls.map(({ input, subjects }) => [input["tool_input"], [...subjects].sort()])).toEqual([
      [{ file_path: "/w/a", content: "new\n" }, ["Edit", "MultiEdit", "Write"]],
      [
        { file_path: "/w/b", old_string: "old", new_string: "new", replace_all: false },
        ["Edit", "MultiEdit", "Write"],
      ],
      [
        { file_path: "/w/c", old_string: "", new_string: "", replace_all: false },
        ["Edit", "MultiEdit", "Write"],
      ],
    ]);
  });

  test("tool_response for shell", () => {
    const own = { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "a\n" };
    expect(hookInput("PostToolUse", own).map(({ input }) => input["tool_response"])).toEqual([
      { stdout: "a\n", stderr: "", interrupted: false, isImage: false, noOutputExpected: false },
    ]);
  });

  test("tool_response for edits", () => {
    const files: CallFacts["files"] = [
      { kind: "add", path: "/w/a", text: "new\n" },
      { kind: "update", path: "/w/b", before: "one", after: "two" },
      { kind: "update", path: "/w/moved", before: "x", after: "y" },
      { kind: "delete", path: "/w/c" },
    ];
    const diff =
      "@@ -1 +1,2 @@\n-one\n+two\n+\n\\ No newline at end of file\n@@ -9,2 +10,1 @@\n a\n-@@ -1 +1 @@\n";
    const changes: CallFacts["changes"] = [
      { path: "/w/a", kind: { type: "add" }, diff: "@@ -1 +1 @@\n+no hunk" },
      { path: "/w/b", kind: { type: "update", move_path: null }, diff },
      {
        path: "/w/from",
        kind: { type: "update", move_path: "/w/moved" },
        diff: "@@ -1 +1 @@\n-x\n+y\n\n\nMoved to: /w/moved",
      },
      { path: "/w/c", kind: { type: "delete" }, diff: "old" },
    ];
    const own = { tool_name: "apply_patch", tool_input: { command: "" }, tool_response: "Success." };
    const edited = { userModified: false, replaceAll: false };
    expect(
      hookInput("PostToolUse", own, { files, changes }).map(({ input }) => input["tool_response"]),
    ).toEqual([
      {
        type: "create",
        filePath: "/w/a",
        content: "new\n",
        structuredPatch: [],
        originalFile: null,
        userModified: false,
      },
      {
        filePath: "/w/b",
        oldString: "one",
        newString: "two",
        structuredPatch: [
          {
            oldStart: 1,
            oldLines: 1,
            newStart: 1,
            newLines: 2,
            lines: ["-one", "+two", "+", "\\ No newline at end of file"],
          },
          { oldStart: 9, oldLines: 2, newStart: 10, newLines: 1, lines: [" a", "-@@ -1 +1 @@"] },
        ],
        ...edited,
      },
      {
        filePath: "/w/moved",
        oldString: "x",
        newString: "y",
        structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-x", "+y"] }],
        ...edited,
      },
      { filePath: "/w/c", oldString: "", newString: "", ...edited },
    ]);
  });

  test("failing tool", () => {
    const own = { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "" };
    expect(hookInput("PostToolUse", own, { hasFailed: true })).toEqual([]);
  });

  test("unknown output field", () => {
    expect(read("PreToolUse", exited(0, { foo: 1 }))).toMatchObject({
      codex: ["failed", expect.stringContaining("foo")],
      claude: ["completed"],
    });
  });

  test.each(["command", "http"])("onFailure, whose values differ: %s", (type) => {
    const handler = { ...good, type, url: "https://h/" };
    for (const dialect of ["codex", "claude"] as const) {
      const parsed = ["continue", "block", "open", "closed"].map((onFailure) =>
        parse(dialect, "PreToolUse", { ...handler, onFailure }),
      );
      expect(parsed.flatMap(({ warnings }) => warnings)).toEqual([]);
      expect(parsed.flatMap(({ definitions }) => definitions.map(({ onFailure }) => onFailure))).toEqual([
        "open",
        "closed",
        "open",
        "closed",
      ]);
    }
  });

  test.each<[what: string, result: HandlerResult]>([
    ["another exit code", exited(1, "", "broken")],
    ["no answer in time", { kind: "timedOut", seconds: 1 }],
    ["an error of a service", { kind: "failed", message: "status 500" }],
    ["wrong members", exited(0, specific("PreToolUse", { permissionDecision: "maybe" }))],
    ["half of JSON", exited(0, "{half")],
  ])("onFailure: block, which is a denial after %s", (_what, result) => {
    const verdictOf = (onFailure: string) => {
      const [hook] = parse("claude", "PreToolUse", { ...good, onFailure }).definitions;
      const traits = { ...CLAUDE, onFailure: hook?.onFailure ?? "open" };
      const outcome = readOutcome("PreToolUse", result, traits);
      const run = {
        runId: "run",
        outcome,
        hook: { key: "k", displayOrder: 0, dialect: "claude" as const, additionalContextLimit: null },
      };
      return decide("PreToolUse", [run]).verdict.kind;
    };
    expect([verdictOf("continue"), verdictOf("block")]).toEqual(["proceed", "block"]);
  });

  test("continueOnBlock, without which the no of a prompt ends the turn", () => {
    const prompt = { type: "prompt", prompt: "fine?" };
    const traitsOf = (dialect: HookDialect, handler: object) => {
      const { definitions, warnings } = parse(dialect, "PreToolUse", handler);
      expect(warnings).toEqual([]);
      return { ...CLAUDE, dialect, endsTurn: definitions[0]?.endsTurn ?? false };
    };
    const said = (handler: object, dialect: HookDialect = "claude", event: HookEventName = "PreToolUse") =>
      summary(readOutcome(event, exited(2, "", "no"), traitsOf(dialect, handler))).slice(2);
    expect(said(prompt)).toEqual(['> block "no"', '> stop "no"']);
    expect(said({ ...prompt, continueOnBlock: true })).toEqual(['> block "no"']);
    const identities = [false, true].map((continueOnBlock) =>
      parse("claude", "PreToolUse", { ...prompt, continueOnBlock }).definitions.map(
        ({ identity }) => identity,
      ),
    );
    expect(identities[1]).toEqual(identities[0]?.map((one) => ({ ...one, continueOnBlock: true })));
    expect(said(prompt, "codex")).toEqual(['> block "no"']);
    expect(said(good)).toEqual(['> block "no"']);
    expect(said(prompt, "claude", "Stop")).toEqual(['> block "no"']);
    const failed = readOutcome(
      "PreToolUse",
      { kind: "failed", message: "no verdict" },
      traitsOf("claude", prompt),
    );
    expect(failed.effect).toMatchObject({ block: null, stop: null });
  });

  test("Stop plain text", () => {
    expect(read("Stop", exited(0, "text"))).toMatchObject({
      codex: ["failed", expect.anything()],
      claude: ["completed"],
    });
  });

  test("Stop hookSpecificOutput", () => {
    const result = exited(0, specific("Stop", { additionalContext: "go on" }));
    expect(decideFor("codex", "Stop", result)).toEqual({ kind: "end" });
    expect(decideFor("claude", "Stop", result)).toEqual({
      kind: "continue",
      prompts: [{ runId: "run-0", text: "go on" }],
    });
  });

  test.each(["allow", "ask"] as const)("PreToolUse allow / ask: %s", (permission) => {
    const result = exited(0, specific("PreToolUse", { permissionDecision: permission }));
    expect(decideFor("claude", "PreToolUse", result).verdict).toMatchObject({ kind: "proceed", permission });
  });

  test("several updatedInput: the last that is listed", () => {
    const results = ["a", "b"].map((command) =>
      exited(0, specific("PreToolUse", { permissionDecision: "allow", updatedInput: { command } })),
    );
    expect(decideFor("claude", "PreToolUse", ...results).verdict).toMatchObject({
      updatedInput: { command: "b" },
    });
  });

  test("exit 2 on PermissionRequest", () => {
    const verdict = (dialect: HookDialect) =>
      decideFor(dialect, "PermissionRequest", exited(2, "", "no")).verdict;
    expect([verdict("codex"), verdict("claude")]).toEqual([{ behavior: "deny", message: "no" }, null]);
  });

  test("exit 2 on PreCompact", () => {
    const stop = (dialect: HookDialect) => decideFor(dialect, "PreCompact", exited(2, "", "no")).stop;
    expect([stop("codex"), stop("claude")]).toEqual([null, "no"]);
  });

  test("PostToolUse block", () => {
    const result = exited(0, { decision: "block", reason: "look" });
    expect(decideFor("codex", "PostToolUse", result)).toMatchObject({ replacement: "look", addition: null });
    expect(decideFor("claude", "PostToolUse", result)).toMatchObject({ replacement: null, addition: "look" });
  });

  test.each(["PreToolUse", "PostToolUse"] as const)("continue:false on %s", (event) => {
    const result = exited(0, { continue: false, stopReason: "enough" });
    expect(decideFor("codex", event, result).stop).toBeNull();
    expect(decideFor("claude", event, result).stop).toEqual({ reason: "enough" });
  });

  test("JSON with exit ≠ 0", () => {
    expect(read("UserPromptSubmit", exited(1, { decision: "block", reason: "no" }))).toMatchObject({
      codex: ["failed", expect.anything()],
      claude: ["blocked", "feedback: no", '> block "no"'],
    });
  });

  test("invalid JSON starting with {", () => {
    expect(read("SessionStart", exited(0, "{half"))).toMatchObject({
      codex: ["failed", expect.anything()],
      claude: ["completed", "context: {half", '> tell "{half"'],
    });
  });

  test("context role", async () => {
    const result = exited(0, "know this");
    const contexts = (dialect: HookDialect) => decideFor(dialect, "UserPromptSubmit", result).contexts;
    expect([contexts("codex"), contexts("claude")]).toEqual([
      [{ text: "know this", limit: 2500 }],
      [{ text: "know this", limit: 2500, isReminder: true }],
    ]);
    expect(await toSystemReminder("a </system-reminder> b", async () => null)).toBe(
      "<system-reminder>\na &lt;/system-reminder> b\n</system-reminder>",
    );
  });

  test("spill", async () => {
    const written: string[] = [];
    const write = async (text: string) => {
      written.push(text);
      return "/spilled";
    };
    expect(await toSystemReminder("ü".repeat(10_000), write)).toContain("ü".repeat(10_000));
    expect(written).toEqual([]);
    const reminder = await toSystemReminder("ü".repeat(10_001), write);
    expect(reminder.length).toBeLessThan(10_000);
    expect(reminder).toContain("Full hook output saved to: /spilled");
    expect(written.map(({ length }) => length)).toEqual([10_001]);
  });

  test("default timeout", () => {
    expect(timeouts("codex", "UserPromptSubmit")).toEqual([600]);
    expect(timeouts("claude", "PreToolUse")).toEqual([600]);
    expect(timeouts("claude", "UserPromptSubmit")).toEqual([30]);
    expect(timeouts("claude", "SessionEnd")).toEqual([1.5]);
    expect(timeouts("claude", "Stop", { type: "prompt", prompt: "done?" })).toEqual([30]);
    expect(timeouts("claude", "Stop", { ...good, timeout: 0.5 })).toEqual([0.5]);
  });

  const inTwoFiles = () =>
    discoverHooks({
      layers: [],
      requirements: null,
      off: "nothing",
      bypassesTrust: false,
      readHooksFile: async () => ({ kind: "missing" }),
      claude: {
        isSandboxWritable: () => false,
        paths: {
          projectFolder: "/p",
          files: [
            { path: "/u/.claude/settings.json", source: "user" },
            { path: "/p/.claude/settings.json", source: "project" },
          ],
        },
        read: async (path) => parseSettingsFile(path, bytes({ hooks: { Stop: [{ hooks: [good] }] } })),
      },
      platform: "linux",
    });

  test("env", async () => {
    const { hooks } = await inTwoFiles();
    expect(hooks.map(({ env }) => env)).toEqual([{ CLAUDE_PROJECT_DIR: "/p" }]);
  });

  test("duplicates", async () => {
    const { hooks } = await inTwoFiles();
    expect(hooks.map(({ sourcePath }) => sourcePath)).toEqual(["/u/.claude/settings.json"]);
  });

  test("trust: per handler, as in Codex files", async () => {
    const { hooks } = await inTwoFiles();
    expect(hooks).toMatchObject([{ key: "/u/.claude/settings.json:stop:0:0", trustStatus: "untrusted" }]);
  });

  test("stdin extras", () => {
    const { model: _model, turn_id: _turn, permission_mode, ...place } = KNOWN;
    const inputs = (event: HookEventName, own: object, facts: Partial<CallFacts> = {}) =>
      hookInput(event, { effort: "high", ...own }, facts).map(({ input }) => input);
    const effort = { level: "high" };
    expect(inputs("UserPromptSubmit", { prompt: "hi" })).toEqual([
      { ...place, permission_mode, hook_event_name: "UserPromptSubmit", prompt_id: "turn", prompt: "hi" },
    ]);
    for (const source of ["startup", "resume", "clear", "fork"])
      expect(inputs("SessionStart", { source })).toEqual([
        { ...place, hook_event_name: "SessionStart", source },
      ]);
    expect(inputs("SessionStart", { source: "compact" })).toEqual([
      { ...place, hook_event_name: "SessionStart", prompt_id: "turn", source: "compact", model: "m" },
    ]);
    const call = { tool_name: "Bash", tool_input: { command: "ls" } };
    expect(inputs("PermissionRequest", call)).toEqual([
      {
        ...place,
        permission_mode,
        hook_event_name: "PermissionRequest",
        prompt_id: "turn",
        effort,
        ...call,
      },
    ]);
    const done = { ...call, tool_response: "" };
    const [told1] = inputs("PostToolUse", done, { durationMs: 12.4 });
    expect([told1?.["duration_ms"], told1?.["effort"]]).toEqual([12, effort]);
    expect(inputs("PostToolUse", { ...done, effort: null })[0]).not.toHaveProperty("effort");
    expect(inputs("PostToolUse", done)[0]).not.toHaveProperty("duration_ms");
    expect(inputs("PreCompact", { trigger: "manual" })).toEqual([
      {
        ...place,
        hook_event_name: "PreCompact",
        prompt_id: "turn",
        trigger: "manual",
        custom_instructions: null,
      },
    ]);
    const end = { ...place, hook_event_name: "SessionEnd", reason: "other" };
    expect(inputs("SessionEnd", { reason: "other" }, { lastTurnId: "last" })).toEqual([
      { ...end, prompt_id: "last" },
    ]);
    expect(inputs("SessionEnd", { reason: "other" })).toEqual([end]);
    const agent = { agent_id: "a", agent_type: "t" };
    expect(inputs("SubagentStart", agent)).toEqual([
      { ...place, hook_event_name: "SubagentStart", prompt_id: "turn", ...agent },
    ]);
  });
});
