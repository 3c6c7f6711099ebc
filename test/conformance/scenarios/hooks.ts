/** Hooks as they run: what they are told, what clients see of them, and what they do to a turn. */
import { customCallDone, messageReply, reply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, notification, WS } from "../steps.ts";
import { completed, conversation, THREAD, TURN_ANSWERS, turn, turnScenario } from "../turn-steps.ts";
import { DELTAS } from "./approvals-steps.ts";
import { ESTIMATES } from "./compaction.ts";
import {
  answer,
  command,
  DONE,
  exec,
  hooked,
  hookScenario,
  KEEP,
  later,
  on,
  PATCH,
  saying,
  specific,
  told,
} from "./hook-steps.ts";
import { hookLifecycleScenarios } from "./hooks-lifecycle.ts";
import { hookToolScenarios } from "./hooks-tools.ts";

/** Whether a hook that nobody waits for has ended before its turn is a matter of chance. */
function asyncScenario(...[name, brief]: Parameters<typeof hookScenario>): Scenario {
  const volatile = [{ message: "turn/completed", pointer: "/params/turn/hookRuns" }];
  return hookScenario(name, { ...brief, volatile });
}

/** How long what ends a thread waits for a hook of its end, and what is told before and after it. */
function ending(name: string, steps: readonly Step[]): Scenario {
  return turnScenario({
    name: `hooks/${name}`,
    about: "The hooks of a session's end have ended before clients hear that the thread is gone.",
    model: [DONE],
    races: DELTAS,
    freeOrder: [...TURN_ANSWERS, ["warning"]],
    steps: [...hooked(on("SessionEnd", `sleep 0.3; ${KEEP}`)), turn("Go"), completed, ...steps, told],
  });
}

export const hookScenarios: readonly Scenario[] = [
  ...hookToolScenarios,
  ...hookLifecycleScenarios,
  hookScenario("prompt-context", {
    about: "What hooks say about a prompt follows it, as messages of the developer.",
    steps: [
      ...hooked(
        on(
          "UserPromptSubmit",
          KEEP,
          "echo plain",
          answer(specific("UserPromptSubmit", { additionalContext: "said" })),
        ),
      ),
      turn("Go"),
      completed,
      conversation,
      told,
    ],
  }),
  hookScenario("prompt-blocked", {
    about: "A prompt that a hook blocks is not recorded, and the turn ends without a request.",
    model: [DONE],
    steps: [
      ...hooked(on("UserPromptSubmit", "echo no >&2; exit 2")),
      turn("Go"),
      completed,
      conversation,
      call("thread/read", { threadId: THREAD, includeTurns: true }, { as: "read" }),
    ],
  }),
  hookScenario("prompt-of-parts", {
    about: "The parts of a prompt are told as one text.",
    steps: [
      ...hooked(on("UserPromptSubmit", KEEP)),
      call(
        "turn/start",
        {
          threadId: THREAD,
          input: [
            { type: "text", text: "one" },
            { type: "text", text: "two" },
          ],
        },
        { as: "turn" },
      ),
      completed,
      told,
    ],
  }),
  hookScenario("session-start", {
    about: "The session begins within its first turn, before the prompt.",
    model: [DONE, DONE],
    steps: [
      ...hooked({ ...on("SessionStart", `${KEEP}; echo begun`), ...on("UserPromptSubmit", KEEP) }),
      turn("Go"),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
      told,
    ],
  }),
  hookScenario("session-start-stops", {
    about: "A hook that stops the beginning of the session ends the turn, and its prompt is lost.",
    steps: [
      ...hooked(on("SessionStart", answer({ continue: false, stopReason: "closed" }))),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("tool-told", {
    about: "A command is told of before and after it runs.",
    model: [exec("echo hi"), DONE],
    steps: [
      ...hooked({ ...on("PreToolUse", KEEP), ...on("PostToolUse", KEEP) }),
      turn("Go"),
      completed,
      conversation,
      told,
    ],
  }),
  hookScenario("tool-failed-command", {
    about: "A command that fails is told of as one that does not.",
    model: [exec("echo hi; exit 3"), DONE],
    steps: [...hooked(on("PostToolUse", KEEP)), turn("Go"), completed, told],
  }),
  hookScenario("tool-blocked", {
    about: "A call that a hook blocks is not made, and the model hears why.",
    model: [exec("touch made"), DONE],
    steps: [
      ...hooked(
        on(
          "PreToolUse",
          "echo never >&2; exit 2",
          answer(specific("PreToolUse", { additionalContext: "c" })),
        ),
      ),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("tool-rewritten", {
    about: "A hook may change the command that runs.",
    model: [exec("echo one"), DONE],
    steps: [
      ...hooked(
        on(
          "PreToolUse",
          answer(
            specific("PreToolUse", { permissionDecision: "allow", updatedInput: { command: "echo two" } }),
          ),
        ),
      ),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("tool-output-replaced", {
    about: "A hook that blocks what came of a call puts its reason in the place of the output.",
    model: [exec("echo hi"), DONE],
    steps: [
      ...hooked(
        on("PostToolUse", answer({ decision: "block", reason: "look again" }), "echo more >&2; exit 2"),
      ),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("patch-told", {
    about: "A patch is told of by its text, and matched by the names of tools that edit.",
    model: [reply("1", customCallDone("call_1", "apply_patch", PATCH)), DONE],
    steps: [
      ...hooked({
        PreToolUse: [{ matcher: "Edit", hooks: [command(KEEP)] }],
        PostToolUse: [{ matcher: "apply_patch", hooks: [command(KEEP)] }],
      }),
      turn("Go"),
      completed,
      conversation,
      told,
    ],
  }),
  hookScenario("stop-continues", {
    about: "Hooks that block the end of a turn make it go on, with one message for all of them.",
    model: [messageReply("First", { id: "1" }), DONE],
    steps: [
      ...hooked(
        on(
          "Stop",
          `IN=$(cat); printf '%s\\n' "$IN" >> told.jsonl; case "$IN" in *'"stop_hook_active":true'*) ;; *) echo '{"decision":"block","reason":"go <on> & \\"on\\""}';; esac`,
          `IN=$(cat); case "$IN" in *'"stop_hook_active":true'*) ;; *) echo more >&2; exit 2;; esac`,
        ),
      ),
      turn("Go"),
      completed,
      conversation,
      told,
      call("thread/read", { threadId: THREAD, includeTurns: true }, { as: "read" }),
    ],
  }),
  hookScenario("stop-ends", {
    about: "A hook that says that nothing may go on beats one that wants it to.",
    steps: [
      ...hooked(
        on(
          "Stop",
          answer({ continue: false, stopReason: "enough" }),
          answer({ decision: "block", reason: "on" }),
        ),
      ),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("model-requests", {
    about: "Every request to the model is told of before and after it.",
    model: [exec("echo hi"), DONE],
    steps: [
      ...hooked({ ...on("PreModelRequest", KEEP), ...on("PostModelRequest", KEEP) }),
      turn("Go"),
      completed,
      told,
    ],
  }),
  hookScenario("compaction", {
    volatile: ESTIMATES,
    about: "A compaction is told of before and after it, and the session begins anew in the next turn.",
    model: [messageReply("First", { id: "1" }), messageReply("SUMMARY", { id: "s" }), DONE],
    steps: [
      ...hooked({ ...on("PreCompact", KEEP), ...on("PostCompact", KEEP), ...on("SessionStart", KEEP) }),
      turn("Go"),
      completed,
      call("thread/compact/start", { threadId: THREAD }, { as: "compact" }),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      told,
    ],
  }),
  hookScenario("compaction-requests", {
    volatile: ESTIMATES,
    about:
      "Hooks of requests are told of the requests of a conversation, and not of the one for its summary.",
    model: [messageReply("First", { id: "1" }), messageReply("SUMMARY", { id: "s" }), DONE],
    steps: [
      ...hooked({
        ...on("PreModelRequest", KEEP),
        ...on("PostModelRequest", KEEP),
        ...on("PreCompact", KEEP),
        ...on("PostCompact", KEEP),
      }),
      turn("Go"),
      completed,
      call("thread/compact/start", { threadId: THREAD }, { as: "compact" }),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      told,
    ],
  }),
  hookScenario("compaction-failed", {
    volatile: ESTIMATES,
    about: "A request for a summary that fails is no more told of than one that does not.",
    model: [messageReply("First", { id: "1" }), { status: 400, body: "no" }],
    steps: [
      ...hooked({
        ...on("PreModelRequest", KEEP),
        ...on("PostModelRequest", KEEP),
        ...on("PostCompact", KEEP),
      }),
      turn("Go"),
      completed,
      call("thread/compact/start", { threadId: THREAD }, { as: "compact" }),
      completed,
      told,
    ],
  }),
  hookScenario("compaction-stopped", {
    about: "A hook may keep a compaction from being done.",
    model: [messageReply("First", { id: "1" }), DONE],
    steps: [
      ...hooked(on("PreCompact", answer({ continue: false, stopReason: "not now" }))),
      turn("Go"),
      completed,
      call("thread/compact/start", { threadId: THREAD }, { as: "compact" }),
      completed,
      conversation,
    ],
  }),
  hookScenario("interrupt", {
    about: "The interruption of a turn is told of before the turn ends.",
    model: [unfinishedReply("Working on")],
    steps: [
      ...hooked(on("Interrupt", answer({ systemMessage: "bye" }))),
      turn("Go"),
      notification("item/agentMessage/delta"),
      call("turn/interrupt", { threadId: THREAD, turnId: "{{turn.result.turn.id}}" }, { as: "interrupt" }),
      completed,
      told,
    ],
  }),
  hookScenario("session-end", {
    about: "The end of a session is told of when its thread is archived.",
    steps: [
      ...hooked(on("SessionEnd", KEEP)),
      turn("Go"),
      completed,
      call("thread/archive", { threadId: THREAD }, { as: "archive" }),
      told,
    ],
  }),
  ending("session-end-archived", [
    call("thread/archive", { threadId: THREAD }, { as: "archive", settles: true }),
  ]),
  ending("session-end-deleted", [
    call("thread/delete", { threadId: THREAD }, { as: "delete", settles: true }),
  ]),
  {
    ...ending("session-end-shutdown", [
      { do: "signal", signal: "SIGTERM" },
      { do: "exit", expect: { code: 0, signal: null } },
    ]),
    transports: WS,
  },
  hookScenario("failures", {
    about: "Hooks that fail say so, and what they are about goes on.",
    steps: [
      ...hooked(
        on(
          "UserPromptSubmit",
          "exit 3",
          "echo '{'",
          "echo '{\"foo\":1}'",
          "echo '[]'",
          "/nowhere/at/all",
          "kill -9 $$",
        ),
      ),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("steered", {
    about: "A prompt for a turn that runs is told of, too.",
    model: [unfinishedReply("Working on"), DONE],
    steps: [
      ...hooked(on("UserPromptSubmit", KEEP)),
      turn("Go"),
      notification("item/agentMessage/delta"),
      call(
        "turn/steer",
        {
          threadId: THREAD,
          expectedTurnId: "{{turn.result.turn.id}}",
          input: [{ type: "text", text: "also" }],
        },
        { as: "steer" },
      ),
      completed,
      conversation,
      told,
    ],
  }),
  asyncScenario("async-same-turn", {
    about: "What a hook says that nobody waits for follows the outputs of the calls during which it ended.",
    model: [exec("sleep 1; echo hi"), DONE],
    steps: [
      ...hooked(later("UserPromptSubmit", saying("UserPromptSubmit"))),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  asyncScenario("async-next-turn", {
    about: "What it says after the turn precedes the next message of the user.",
    model: [DONE, DONE],
    steps: [
      ...hooked(
        later(
          "UserPromptSubmit",
          `[ -e once ] && exit 0; touch once; sleep 1; ${saying("UserPromptSubmit")}`,
        ),
      ),
      turn("Go"),
      completed,
      { do: "settle", milliseconds: 2500 },
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  asyncScenario("async-answered-turn", {
    about: "What it says while the model gives its last answer makes the turn go on.",
    model: [DONE, messageReply("Heard", { id: "8" })],
    steps: [
      ...hooked({
        ...later("UserPromptSubmit", saying("UserPromptSubmit")),
        ...on("PostModelRequest", "sleep 1"),
      }),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  asyncScenario("async-cannot-block", {
    about: "A hook that nobody waits for cannot keep a call from being made, and clients do not see it run.",
    model: [exec("sleep 1; echo hi"), DONE],
    steps: [
      ...hooked({
        ...later("PreToolUse", "echo never >&2; exit 2"),
        ...later("PostToolUse", answer({ decision: "block", reason: "no" })),
      }),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
];
