/** Commands that the user runs in a thread, past the model. */
import { messageReply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, notification, refused } from "../steps.ts";
import {
  completed,
  conversation,
  INTERRUPT_RACES,
  THREAD,
  turn,
  turnScenario,
  withThread,
} from "../turn-steps.ts";

const shell = (command: string, more: Readonly<Record<string, unknown>> = {}): Step =>
  call(
    "thread/shellCommand",
    { threadId: THREAD, command, ...more },
    { as: "shell", expect: { result: {} } },
  );
const commandDone = notification("item/completed", { item: { type: "commandExecution" } });

/** How output is cut into deltas is a matter of chance. */
const DELTAS = ["item/commandExecution/outputDelta"];

const idle = (
  name: string,
  about: string,
  command: string,
  more: Readonly<Record<string, unknown>> = {},
): Scenario =>
  turnScenario({
    name: `shell-command/${name}`,
    about,
    races: DELTAS,
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      shell(command, more),
      completed,
      turn("Go", {}, { as: "second" }),
      completed,
      conversation,
    ],
  });

export const shellCommandScenarios: readonly Scenario[] = [
  idle(
    "idle",
    "On an idle thread a command is a turn of its own, and the model hears of it later.",
    "echo hello",
  ),
  idle("exit-code", "A command that fails is a failed item of a completed turn.", "echo partly; exit 3"),
  idle("writes", "A command of the user runs outside the sandbox.", "echo x > made.txt && cat made.txt"),
  idle("long-output", "The model hears the beginning and the end of a long output.", "seq 1 20000"),
  turnScenario({
    name: "shell-command/time-out",
    about: "A command that takes too long is ended and is a failed item.",
    races: DELTAS,
    // The peer shows its own data structure as the output.
    volatile: [{ message: "item/completed", pointer: "/params/item/aggregatedOutput" }],
    steps: [...withThread(), shell("sleep 5", { timeoutMs: 300 }), completed],
  }),
  turnScenario({
    name: "shell-command/busy",
    about:
      "On a busy thread a command is an item of the turn that runs, and the model hears of it in that turn.",
    races: DELTAS,
    model: [messageReply("One", { held: true }), messageReply("Two", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go"),
      { do: "modelAsked", times: 1 },
      shell("echo hello"),
      commandDone,
      { do: "release" },
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "shell-command/busy-interrupted",
    about: "What the user ran during a turn that is interrupted is not told to the model.",
    races: [...DELTAS, ...INTERRUPT_RACES],
    model: [unfinishedReply("Working on"), messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go"),
      notification("item/agentMessage/delta"),
      shell("echo hello"),
      commandDone,
      call("turn/interrupt", { threadId: THREAD, turnId: "{{turn.result.turn.id}}" }, { as: "interrupt" }),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "shell-command/interrupted",
    about: "A command's own turn can be interrupted.",
    races: [...DELTAS, ...INTERRUPT_RACES],
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      shell("sleep 20"),
      {
        do: "await",
        message: { method: "item/started", params: { item: { type: "commandExecution" } } },
        as: "item",
      },
      call("turn/interrupt", { threadId: THREAD, turnId: "{{item.params.turnId}}" }, { as: "interrupt" }),
      completed,
      turn("Go", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  idle(
    "secrets",
    "What looks like a secret is not shown in a command of the user either.",
    "echo sk-abcdefghijklmnopqrstuvwxyz",
  ),
  idle("marked", "Output in UTF-16 is told by its mark.", "printf '\\377\\376h\\000i\\000'"),
  turnScenario({
    name: "shell-command/no-machine",
    about: "A server that is to do nothing on its machine refuses a command of the user.",
    env: { CODEX_EXEC_SERVER_URL: "none" },
    steps: [
      ...withThread(),
      refused("thread/shellCommand", { threadId: THREAD, command: "" }, "command must not be empty", "empty"),
      call(
        "thread/shellCommand",
        { threadId: THREAD, command: "pwd" },
        {
          as: "refused",
          expect: { error: { code: -32603, message: "local environment is not configured" } },
        },
      ),
    ],
  }),
  turnScenario({
    name: "shell-command/refused",
    about: "A command needs words and a loaded thread.",
    steps: [
      ...withThread(),
      refused("thread/shellCommand", { threadId: THREAD, command: "" }, "command must not be empty", "empty"),
      refused(
        "thread/shellCommand",
        { threadId: THREAD, command: "  " },
        "command must not be empty",
        "blank",
      ),
      call("thread/shellCommand", { threadId: THREAD }, { as: "no command" }),
      call(
        "thread/shellCommand",
        { threadId: THREAD, command: "true", timeoutMs: -1 },
        { as: "negative time" },
      ),
      call(
        "thread/shellCommand",
        { threadId: "00000000-0000-7000-8000-000000000000", command: "true" },
        { as: "unknown thread" },
      ),
    ],
  }),
];
