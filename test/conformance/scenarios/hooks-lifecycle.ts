/** What `heddle lifecycle render` prints, as hooks say it: each harness of this dialect takes it as it is meant. */
import { messageReply } from "../../support/model-events.ts";
import { HEDDLE } from "../../support/start-server.ts";
import type { Scenario } from "../scenario.ts";
import { call } from "../steps.ts";
import { completed, conversation, THREAD, turn } from "../turn-steps.ts";
import { ESTIMATES } from "./compaction.ts";
import { DONE, exec, hooked, hookScenario, on } from "./hook-steps.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const PROGRAM = [HEDDLE.command, ...HEDDLE.args].map(quoted).join(" ");

/** A hook that says what is rendered. */
function rendering(event: string, input: object, form = "readable"): string {
  const render = `${PROGRAM} lifecycle render --adapter codex --event ${event} --form ${form}`;
  return `cat > /dev/null; printf '%s' ${quoted(JSON.stringify(input))} | ${render}`;
}

const PAYLOADS = [{ payload_id: "note", payload_kind: "memo", body: "The build is red." }];
const ONCE = (hook: string): string => `test -e seen && exit 0; touch seen; ${hook}`;

export const hookLifecycleScenarios: readonly Scenario[] = [
  hookScenario("lifecycle-stop", {
    about: "A rendered block at the end of a turn makes it go on with its reason.",
    model: [messageReply("First", { id: "1" }), DONE],
    steps: [
      ...hooked(
        on(
          "Stop",
          ONCE(rendering("frame.ending", { directive: { kind: "block", reason: 'Run "make" <now>.' } })),
        ),
      ),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("lifecycle-context", {
    about: "Rendered context reaches the model, in the form of the original and in the one for models.",
    steps: [
      ...hooked({
        ...on("SessionStart", rendering("session.started", { payloads: PAYLOADS }, "compatible")),
        ...on("UserPromptSubmit", rendering("frame.opening", { payloads: PAYLOADS })),
      }),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("lifecycle-prompt", {
    about: "A rendered block keeps a prompt from the model.",
    steps: [
      ...hooked(
        on(
          "UserPromptSubmit",
          rendering("frame.opening", { directive: { kind: "block", reason: "Not now." } }),
        ),
      ),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("lifecycle-tool", {
    about: "A rendered denial keeps a command from running.",
    model: [exec("echo hi"), DONE],
    steps: [
      ...hooked(
        on(
          "PreToolUse",
          rendering("tool.starting", { result: { decision: { kind: "deny", reason: "Not here." } } }),
        ),
      ),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  hookScenario("lifecycle-compaction", {
    volatile: ESTIMATES,
    about: "What is rendered for a compaction says nothing, which is all that may be said there.",
    model: [messageReply("First", { id: "1" }), messageReply("SUMMARY", { id: "s" })],
    steps: [
      ...hooked({
        ...on("PreCompact", rendering("context.pressure_observed", { payloads: PAYLOADS })),
        ...on("PostCompact", rendering("context.compacted", { payloads: PAYLOADS }, "compatible")),
      }),
      turn("Go"),
      completed,
      call("thread/compact/start", { threadId: THREAD }, { as: "compact" }),
      completed,
    ],
  }),
];
