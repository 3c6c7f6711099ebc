/** Threads that are given a folder of their own beside the machine and the folder that commands run in. */
import { functionCallDone, messageReply, reply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize } from "../steps.ts";
import { completed, conversation, THREAD, turn, turnScenario, UNCONFINED } from "../turn-steps.ts";

const PLACE = "{{workspace}}/place";
const local = (more: Readonly<Record<string, unknown>> = {}) => ({
  environments: [{ environmentId: "local", cwd: "{{workspace}}/machine", ...more }],
});
const PROJECT = `[features]
workspace_dependencies = false
[mcp_servers.of_project]
command = "/nowhere/at-all"
`;
const DONE = messageReply("Done", { id: "9" });
const base = {
  files: {
    "workspace/place/.git/HEAD": "ref: refs/heads/main\n",
    "workspace/place/.codex/config.toml": PROJECT,
    "workspace/place/AGENTS.md": "Rules of the place.\n",
    "workspace/machine/.git/HEAD": "ref: refs/heads/main\n",
    "workspace/machine/AGENTS.md": "Rules of the machine.\n",
    "workspace/third/kept.txt": "kept\n",
  },
  races: ["item/commandExecution/outputDelta", "mcpServer/startupStatus/updated"],
} satisfies Partial<Scenario>;

const start = (params: Readonly<Record<string, unknown>>): Step =>
  call("thread/start", { ...UNCONFINED, ...params }, { as: "thread", settles: true });
/** The last of the features, which the place switches off. */
const feature = call("experimentalFeature/list", { threadId: THREAD, cursor: "193" }, { as: "feature" });

export const environmentScenarios: readonly Scenario[] = [
  turnScenario({
    ...base,
    name: "environments/with-a-folder",
    about: "The folder of a thread decides about its project, and the machine's about where commands run.",
    model: [reply("1", functionCallDone("call_1", "exec_command", { cmd: "pwd", login: false })), DONE],
    steps: [
      initialize(),
      start({ cwd: PLACE, ...local() }),
      { do: "read", path: "home/config.toml", as: "toml", expect: { projects: { [PLACE]: {} } } },
      feature,
      call("mcpServerStatus/list", { threadId: THREAD }, { as: "servers" }),
      turn("Go"),
      completed,
      conversation,
      call("thread/shellCommand", { threadId: THREAD, command: "pwd" }, { as: "shell" }),
      completed,
    ],
  }),
  turnScenario({
    ...base,
    name: "environments/without-a-folder",
    about: "A machine's folder alone leaves a new thread in the server's folder, until a turn names another.",
    model: [DONE],
    steps: [
      initialize(),
      start(local()),
      feature,
      turn("Go", { cwd: PLACE, ...local() }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    ...base,
    name: "environments/not-kept",
    about: "A machine and its folders are chosen anew when a thread is loaded again.",
    model: [DONE],
    steps: [
      initialize(),
      start({ cwd: PLACE, ...local({ runtimeWorkspaceRoots: ["{{workspace}}/third"] }) }),
      turn("Go"),
      completed,
      { do: "restart" },
      initialize({ experimentalApi: true }, { as: "initialize again" }),
      call("thread/resume", { threadId: THREAD, excludeTurns: true }, { as: "resume", settles: true }),
    ],
  }),
];
