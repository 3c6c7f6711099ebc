/** Hooks around the calls of every kind of tool, and in place of those who are asked for permission. */
import {
  customCallDone,
  functionCallDone,
  type ModelEvent,
  messageReply,
  reply,
} from "../../support/model-events.ts";
import { MCP_PROGRAM } from "../mcp-program.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, notification } from "../steps.ts";
import { completed, conversation, THREAD, turn } from "../turn-steps.ts";
import {
  answer,
  command,
  DONE,
  exec,
  hooked,
  hookScenario,
  KEEP,
  on,
  PATCH,
  specific,
  told,
} from "./hook-steps.ts";
import { restarted, resume } from "./thread-resume-steps.ts";

const BOTH = { ...on("PreToolUse", KEEP), ...on("PostToolUse", KEEP) };
const ASKING = { approvalPolicy: "untrusted", sandbox: "workspace-write" };
const verdict = (behavior: string, more: object = {}) =>
  answer(specific("PermissionRequest", { decision: { behavior, ...more } }));
const asked: Step = {
  do: "await",
  message: { method: "item/commandExecution/requestApproval" },
  as: "question",
};

const MEMO = '[mcp_servers.memo]\ncommand = "node"\nargs = ["{{home}}/memo.mjs"]\n';
const files = { "home/memo.mjs": MCP_PROGRAM };
const ready: Step = notification("mcpServer/startupStatus/updated", { name: "memo", status: "ready" });
const mcpCall = (name: string, args: object): ModelEvent => ({
  type: "response.output_item.done",
  item: {
    type: "function_call",
    call_id: "call_1",
    name,
    namespace: "mcp__memo",
    arguments: JSON.stringify(args),
  },
});
const MCP = {
  config: { tables: MEMO },
  files,
  alsoFree: ["thread/started", "mcpServer/startupStatus/updated"],
  volatile: [{ message: "item/completed", pointer: "/params/item/durationMs" }],
};

export const hookToolScenarios: readonly Scenario[] = [
  hookScenario("permission-allowed", {
    about: "A hook that allows a command leaves nobody to ask.",
    model: [exec("touch made"), DONE],
    steps: [
      ...hooked(on("PermissionRequest", KEEP, verdict("allow")), ASKING),
      turn("Go"),
      completed,
      conversation,
      told,
    ],
  }),
  hookScenario("permission-denied", {
    about: "A hook that denies a command keeps it from running, and the model hears why.",
    model: [exec("touch made"), DONE],
    steps: [
      ...hooked(on("PermissionRequest", verdict("allow"), verdict("deny", { message: "not here" })), ASKING),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("permission-denied-patch", {
    about: "The same for a patch, of which its text is told.",
    model: [reply("1", customCallDone("call_1", "apply_patch", PATCH)), DONE],
    steps: [
      ...hooked(on("PermissionRequest", KEEP, verdict("deny", { message: "not here" })), ASKING),
      turn("Go"),
      completed,
      conversation,
      told,
    ],
  }),
  hookScenario("permission-left", {
    about: "Where no hook decides, the client is asked.",
    model: [exec("touch made"), DONE],
    steps: [
      ...hooked(on("PermissionRequest", "true"), ASKING),
      turn("Go"),
      asked,
      { do: "answer", to: "question", result: { decision: "accept" } },
      completed,
    ],
  }),
  hookScenario("mcp-told", {
    about: "A call of an MCP tool is told of by the names of its server and itself.",
    ...MCP,
    model: [reply("1", mcpCall("echo", { message: "hi" })), DONE],
    steps: [
      ...hooked({
        PreToolUse: [{ matcher: "mcp__memo__.*", hooks: [command(KEEP)] }],
        PostToolUse: [{ matcher: "mcp__memo__echo", hooks: [command(KEEP)] }],
      }),
      ready,
      turn("Go"),
      completed,
      conversation,
      told,
    ],
  }),
  hookScenario("mcp-failed", {
    about: "A call of an MCP tool that fails.",
    ...MCP,
    model: [reply("1", mcpCall("fail", {})), DONE],
    steps: [...hooked(BOTH), ready, turn("Go"), completed, told],
  }),
  hookScenario("mcp-handler", {
    about: "A tool of an MCP server may be a hook; parts of the event are its arguments.",
    ...MCP,
    steps: [
      ...hooked({
        UserPromptSubmit: [
          {
            hooks: [
              // biome-ignore lint/suspicious/noTemplateCurlyInString: the hook's own placeholder
              { type: "mcp_tool", server: "memo", tool: "echo", input: { message: "said ${prompt}" } },
              { type: "mcp_tool", server: "nobody", tool: "echo" },
              { type: "mcp_tool", server: "memo", tool: "fail" },
            ],
          },
        ],
      }),
      ready,
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("plan-told", {
    about: "A tool of the server's own is told of by its name and arguments.",
    config: { tables: "[tools.update_plan]\nenabled = true\n" },
    model: [
      reply("1", functionCallDone("call_1", "update_plan", { plan: [{ step: "a", status: "pending" }] })),
      DONE,
    ],
    steps: [...hooked(BOTH), turn("Go"), completed, told],
  }),
  hookScenario("unknown-tool", {
    about: "A tool that there is not is nothing to tell of.",
    model: [reply("1", functionCallDone("call_1", "nothing", {})), DONE],
    steps: [...hooked(BOTH), turn("Go"), completed, told],
  }),
  hookScenario("hidden-patch", {
    about: "A patch that is sent as a command.",
    model: [exec(`apply_patch <<'EOF'\n${PATCH}\nEOF`), DONE],
    steps: [...hooked(BOTH), turn("Go"), completed, conversation, told],
  }),
  hookScenario("failed-patch", {
    about: "A patch that does not fit.",
    model: [
      reply(
        "1",
        customCallDone("call_1", "apply_patch", "*** Begin Patch\n*** Delete File: gone\n*** End Patch"),
      ),
      DONE,
    ],
    steps: [...hooked(BOTH), turn("Go"), completed, told],
  }),
  hookScenario("rewritten-badly", {
    about: "Input that a tool cannot be called with is told to the model.",
    model: [exec("touch made"), DONE],
    steps: [
      ...hooked(
        on(
          "PreToolUse",
          answer(specific("PreToolUse", { permissionDecision: "allow", updatedInput: { cmd: "x" } })),
        ),
      ),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("guard-killed", {
    about: "A command whose guard was killed is not run where nobody may be asked.",
    model: [exec("touch made"), DONE],
    steps: [...hooked(on("PreToolUse", "kill -9 $$")), turn("Go"), completed, conversation],
  }),
  hookScenario("guard-missing", {
    about: "A command whose guard is not there is not run where nobody may be asked.",
    model: [exec("touch made"), DONE],
    steps: [...hooked(on("PreToolUse", "/nowhere/guard")), turn("Go"), completed, conversation],
  }),
  hookScenario("half-characters", {
    about: "Arguments with half of a character reach hooks and the tool with whole ones.",
    model: [
      reply("1", {
        type: "response.output_item.done",
        item: {
          type: "function_call",
          call_id: "call_1",
          name: "exec_command",
          arguments: '{"cmd":"echo \\"\\ud800\\""}',
        },
      }),
      DONE,
    ],
    steps: [...hooked(BOTH), turn("Go"), completed, told],
  }),
  hookScenario("deep-arguments", {
    about: "Arguments that are nested too deeply to be judged are refused.",
    model: [
      reply("1", {
        type: "response.output_item.done",
        item: {
          type: "function_call",
          call_id: "call_1",
          name: "exec_command",
          arguments: `{"cmd":"touch made","x":${"[".repeat(200)}${"]".repeat(200)}}`,
        },
      }),
      DONE,
    ],
    steps: [...hooked(on("PreToolUse", KEEP)), turn("Go"), completed, conversation],
  }),
  hookScenario("aliases", {
    about: "A hook runs once, by whichever names its matcher knows the tool.",
    model: [reply("1", customCallDone("call_1", "apply_patch", PATCH)), DONE],
    steps: [
      ...hooked({
        PreToolUse: [
          { matcher: "Write|Edit|apply_patch", hooks: [command("true")] },
          { matcher: "Bash", hooks: [command("false")] },
          { matcher: "^app", hooks: [command("true")] },
        ],
      }),
      turn("Go"),
      completed,
    ],
  }),
  hookScenario("resumed", {
    about: "A session that goes on with a stored thread says so.",
    model: [messageReply("One", { id: "1" }), DONE],
    steps: [
      ...hooked({}),
      turn("Go"),
      completed,
      ...restarted(),
      resume(THREAD, {
        config: { bypass_hook_trust: true, hooks: on("SessionStart", KEEP) },
        excludeTurns: true,
      }),
      turn("Again", {}, { as: "second" }),
      completed,
      told,
    ],
  }),
  hookScenario("forked", {
    about: "A session that begins with the history of another says so.",
    model: [messageReply("One", { id: "1" }), DONE],
    steps: [
      ...hooked({}),
      turn("Go"),
      completed,
      call(
        "thread/fork",
        {
          threadId: THREAD,
          config: { bypass_hook_trust: true, hooks: on("SessionStart", KEEP) },
          excludeTurns: true,
        },
        { as: "fork", settles: true },
      ),
      turn("Again", {}, { as: "second", thread: "fork" }),
      completed,
      told,
    ],
  }),
];
