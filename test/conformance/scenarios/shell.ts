/** Commands that the model runs: their items, their output, and what the model is told of them. */
import { functionCallDone, messageReply, reply } from "../../support/model-events.ts";
import { type ModelReply, SESSION } from "../../support/scripted-model.ts";
import type { Scenario } from "../scenario.ts";
import { notification } from "../steps.ts";
import { completed, conversation, turn, turnScenario, UNCONFINED, withThread } from "../turn-steps.ts";

const DONE = messageReply("Done", { id: "9" });

/** Whether early output is told as deltas, and how it is cut, is a matter of chance on the peer. */
const DELTAS = ["item/commandExecution/outputDelta"];

const exec = (cmd: string, more: Readonly<Record<string, unknown>> = {}, callId = "call_1") =>
  functionCallDone(callId, "exec_command", { cmd, ...more });

const run = (cmd: string, more: Readonly<Record<string, unknown>> = {}): readonly ModelReply[] => [
  reply("1", exec(cmd, more)),
  DONE,
];

const PATCH = "*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch\n";

const shellTurn = (
  brief: Pick<Scenario, "name" | "about" | "model"> &
    Partial<Pick<Scenario, "files" | "races" | "freeOrder">>,
): Scenario =>
  turnScenario({
    races: DELTAS,
    ...brief,
    steps: [...withThread(UNCONFINED), turn("Go"), completed, conversation],
  });

export const shellScenarios: readonly Scenario[] = [
  shellTurn({
    name: "shell/secrets",
    about: "What looks like a secret is not shown in a command, and its output is left as it is.",
    model: run(
      "echo sk-abcdefghijklmnopqrstuvwxyz AKIAIOSFODNN7EXAMPLE password=hunter2hunter2 'Token: \"abcdefgh12345678\"'",
    ),
  }),
  shellTurn({
    name: "shell/apply-patch-inside",
    about: "A script that a command runs finds the program apply_patch.",
    files: {
      "workspace/edit.sh": "apply_patch < edit.patch && cat new.txt\n",
      "workspace/edit.patch": PATCH,
    },
    model: run("sh edit.sh", { login: false }),
  }),
  shellTurn({
    name: "shell/command",
    about: "A command is an item with its output as a delta, and the model gets its output.",
    model: run("sleep 0.3; echo hello"),
    races: [],
  }),
  shellTurn({
    name: "shell/exit-code",
    about: "A command that exits with another code than zero is a failed item, and the turn goes on.",
    model: run("echo partly; exit 3"),
  }),
  shellTurn({
    name: "shell/both-streams",
    about: "Output and errors of a command arrive as one text.",
    model: run("echo out; sleep 0.2; echo err >&2"),
  }),
  shellTurn({
    name: "shell/no-output",
    about: "A command without output has no delta.",
    model: run("true"),
  }),
  shellTurn({
    name: "shell/workdir",
    about: "A command runs in the folder that the call names, from the thread's own.",
    files: { "workspace/sub/file.txt": "text\n" },
    model: run("pwd; ls", { workdir: "sub" }),
  }),
  shellTurn({
    name: "shell/missing-workdir",
    about: "A command in a folder that does not exist fails.",
    model: run("pwd", { workdir: "none" }),
  }),
  shellTurn({
    name: "shell/known-actions",
    about: "What a command does is told in words where it is known.",
    files: { "workspace/a.txt": "one\n" },
    model: [
      reply("1", exec("cat a.txt", {}, "call_1")),
      reply("2", exec("ls", {}, "call_2")),
      reply("3", exec("grep -n one a.txt | head -n 5", {}, "call_3")),
      DONE,
    ],
  }),
  shellTurn({
    name: "shell/quoting",
    about: "The command line of an item is quoted for a shell.",
    model: run(`printf '%s' "it's"`),
  }),
  shellTurn({
    name: "shell/shell-and-login",
    about: "A call may choose the shell and whether it is a login shell.",
    model: run("echo hi", { shell: "/bin/sh", login: false }),
  }),
  shellTurn({
    name: "shell/unknown-tool",
    about: "A tool that does not exist is an error for the model and nothing for the client.",
    model: [reply("1", functionCallDone("call_1", "no_such_tool", { a: 1 })), DONE],
  }),
  shellTurn({
    name: "shell/bad-arguments",
    about: "Arguments that do not parse are an error for the model and nothing for the client.",
    model: [
      reply("1", {
        type: "response.output_item.done",
        item: { type: "function_call", call_id: "call_1", name: "exec_command", arguments: "{not json" },
      }),
      reply("2", functionCallDone("call_2", "exec_command", { command: "echo hi" })),
      reply("3", functionCallDone("call_3", "exec_command", { cmd: 7 })),
      DONE,
    ],
  }),
  shellTurn({
    name: "shell/several-calls",
    about: "All calls of a response run, and their outputs go to the model in the order of the calls.",
    model: [reply("1", exec("echo one", {}, "call_1"), exec("sleep 0.3; echo two", {}, "call_2")), DONE],
    freeOrder: [["response turn"], ["item/started", "item/completed", ...DELTAS]],
  }),
  shellTurn({
    name: "shell/call-and-message",
    about: "A response may speak and call; the turn ends with the response that calls nothing.",
    model: [
      reply(
        "1",
        {
          type: "response.output_item.done",
          item: {
            type: "message",
            role: "assistant",
            id: "msg_1",
            content: [{ type: "output_text", text: "Running it" }],
          },
        },
        exec("echo hello"),
      ),
      DONE,
    ],
  }),
  shellTurn({
    name: "shell/long-output",
    about: "The model gets the beginning and the end of a long output; the item has it all.",
    model: run("seq 1 20000", { max_output_tokens: 100 }),
  }),
  shellTurn({
    name: "shell/approval-not-possible",
    about: "Under a policy of never a call for more rights is refused for the model.",
    model: run("echo hello", { sandbox_permissions: "require_escalated", justification: "please" }),
  }),
  turnScenario({
    name: "shell/session",
    about: "A command that goes on is a session that the model writes to; its item ends with the process.",
    model: [
      reply("1", exec("read line; echo got $line", { yield_time_ms: 250, tty: true })),
      reply("2", functionCallDone("call_2", "write_stdin", { session_id: SESSION, chars: "words\n" })),
      DONE,
    ],
    races: DELTAS,
    steps: [...withThread(UNCONFINED), turn("Go"), completed, conversation],
  }),
  turnScenario({
    name: "shell/ends-after-the-turn",
    about: "A command that outlives its turn completes its item when it ends.",
    model: [reply("1", exec("sleep 1; echo late", { yield_time_ms: 250 })), DONE],
    races: DELTAS,
    steps: [
      ...withThread(UNCONFINED),
      turn("Go"),
      completed,
      notification("item/completed", { item: { type: "commandExecution" } }),
      conversation,
    ],
  }),
  turnScenario({
    name: "shell/unknown-session",
    about: "Writing to a session that does not exist is an error for the model.",
    model: [reply("1", functionCallDone("call_1", "write_stdin", { session_id: 4711, chars: "x" })), DONE],
    steps: [...withThread(UNCONFINED), turn("Go"), completed, conversation],
  }),
];
