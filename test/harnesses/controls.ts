/** What each program was seen to do with an answer. A control that fails is a claim of a manifest that is not true. */
import type { LifecycleResult } from "../../src/lifecycle/index.ts";
import type { Control } from "./harness.ts";
import type { ModelScript } from "./harness-model.ts";
import { asked, isShown, ran, told, toldInOrder, toldOf } from "./seen.ts";

const REASON = "HEDDLE-REASON";
const CONTEXT = "HEDDLE-CONTEXT";
const CHANGED = "HEDDLE-CHANGED";

const allow: LifecycleResult = { decision: { kind: "allow" } };
const deny: LifecycleResult = { decision: { kind: "deny", reason: REASON } };
const stop: LifecycleResult = { decision: { kind: "stop", reason: REASON } };
const context: LifecycleResult = { context: [CONTEXT] };
const message: LifecycleResult = { user_message: CONTEXT };
/** Nobody knows what it prints before it has run. */
const otherInput: LifecycleResult = {
  updated_input: { command: "printf HEDDLE-%s 42", description: "d" },
};
const PRINTED = "HEDDLE-42";
const otherOutput: LifecycleResult = { updated_output: CHANGED };

const SAYS: ModelScript = { kind: "say" };
const calls = (tool: string, input: Readonly<Record<string, unknown>>): ModelScript => ({
  kind: "call",
  call: { tool, input },
});
const FAILING = { command: "echo oops >&2; exit 3", description: "d" };

/** What all of them do. */
const SHARED: readonly Control[] = [
  {
    name: "a call that is denied does not happen, and the model hears why",
    says: { "tool.starting": deny },
    checks: [ran(false), told(REASON), asked(2)],
  },
  {
    name: "another input is what the tool is called with",
    says: { "tool.starting": otherInput },
    checks: [ran(false), told(PRINTED), asked(2)],
  },
  {
    name: "context of a prompt reaches the model",
    says: { "frame.opening": context },
    model: SAYS,
    checks: [told(CONTEXT), asked(1)],
  },
  {
    name: "context after a call reaches the model",
    says: { "tool.completed": context },
    checks: [ran(true), told(CONTEXT), asked(2)],
  },
  { name: "a prompt that is denied reaches no model", says: { "frame.opening": deny }, checks: [asked(0)] },
];

const STOPS: Control = {
  name: "a stop before a call keeps it and the next request from happening",
  says: { "tool.starting": stop },
  checks: [ran(false), asked(1)],
};

const CONTINUES: Control = {
  name: "work that would end goes on with the prompt",
  says: { "frame.ending": { decision: { kind: "continue_with", prompt: REASON } } },
  model: SAYS,
  checks: [told(REASON), asked(2)],
};

const MESSAGE: Control = {
  name: "a message for the person is shown, and the model does not hear it",
  says: { "tool.starting": message },
  checks: [isShown(CONTEXT), told(CONTEXT, false), ran(true)],
};

const DENIED_OUTPUT: Control = {
  name: "a result that is denied is not told",
  says: { "tool.completed": deny },
  checks: [ran(true), told(REASON)],
};

const OTHER_OUTPUT: Control = {
  name: "another output is what the model hears",
  says: { "tool.completed": otherOutput },
  checks: [ran(true), told(CHANGED)],
};

export const claudeControls: readonly Control[] = [
  ...SHARED,
  STOPS,
  CONTINUES,
  MESSAGE,
  {
    ...STOPS,
    name: "a stop at the prompt reaches no model",
    says: { "frame.opening": stop },
    checks: [asked(0)],
  },
  {
    name: "a call that is allowed needs nobody's permission",
    says: { "tool.starting": allow },
    isAsked: true,
    checks: [ran(true)],
  },
  {
    name: "another input alone permits nothing",
    says: { "tool.starting": { updated_input: { command: "touch ran.txt", description: "d" } } },
    isAsked: true,
    checks: [ran(false), asked(2)],
  },
  {
    name: "permission is given for another input",
    says: { "permission.requested": { ...allow, ...otherInput } },
    isAsked: true,
    checks: [ran(false), told(PRINTED)],
  },
  {
    name: "permission is denied, and the model hears why",
    says: { "permission.requested": deny },
    isAsked: true,
    checks: [ran(false), told(REASON)],
  },
  {
    name: "a stop where permission is asked for ends the run",
    says: { "permission.requested": stop },
    isAsked: true,
    checks: [ran(false), asked(1)],
  },
  {
    name: "another output in the tool's own shape is what the model hears",
    says: {
      "tool.completed": {
        updated_output: { stdout: CHANGED, stderr: "", interrupted: false, isImage: false },
      },
    },
    checks: [ran(true), told(CHANGED)],
  },
  {
    name: "a complaint about a call that failed reaches the model",
    says: { "tool.failed": deny },
    model: calls("Bash", FAILING),
    checks: [told(REASON), toldOf("tool.failed")],
  },
  {
    name: "context before the next request reaches it",
    says: { "model.requested": context },
    checks: [told(CONTEXT)],
  },
  {
    name: "a stop before the next request keeps it from being made",
    says: { "model.requested": stop },
    checks: [asked(1)],
  },
  {
    name: "the events of a session come in their order",
    says: {},
    watches: [
      "session.started",
      "frame.opening",
      "tool.starting",
      "tool.completed",
      "frame.ending",
      "session.ended",
    ],
    checks: [
      toldInOrder(
        "session.started",
        "frame.opening",
        "tool.starting",
        "tool.completed",
        "frame.ending",
        "session.ended",
      ),
    ],
  },
];

export const geminiControls: readonly Control[] = [
  ...SHARED,
  STOPS,
  CONTINUES,
  MESSAGE,
  { ...OTHER_OUTPUT, name: "another output is what the model hears, as an error" },
  {
    name: "an answer of a hook takes the place of a request",
    says: {
      "model.requested": {
        updated_output: {
          candidates: [{ content: { role: "model", parts: [CHANGED] }, finishReason: "STOP" }],
        },
      },
    },
    checks: [asked(0), isShown(CHANGED)],
  },
  {
    name: "a command that fails is a tool that failed, and no pressure is observed",
    says: {},
    watches: ["tool.failed", "tool.completed", "context.pressure_observed", "frame.ending"],
    model: calls("run_shell_command", FAILING),
    checks: [toldOf("tool.failed", "frame.ending")],
  },
];

/** Where the run cannot be ended, the call does not happen at least. */
const STOPS_CALL: Control = {
  name: "a stop before a call keeps it from happening",
  says: { "tool.starting": stop },
  checks: [ran(false), told(REASON)],
};

export const opencodeControls: readonly Control[] = [
  ...SHARED,
  STOPS_CALL,
  OTHER_OUTPUT,
  DENIED_OUTPUT,
  {
    name: "a request that is denied is not made, and the person is shown why",
    says: { "model.requested": deny },
    checks: [asked(0), isShown(REASON)],
  },
  {
    name: "another answer is what the person is shown",
    says: { "model.responded": otherOutput },
    model: SAYS,
    checks: [isShown(CHANGED)],
  },
  {
    name: "a command that fails is a tool that failed",
    says: {},
    watches: ["tool.failed", "tool.completed", "frame.ended"],
    model: calls("bash", FAILING),
    checks: [toldOf("tool.failed", "frame.ended")],
  },
  {
    name: "a call that is denied is a tool that failed",
    says: { "tool.starting": deny },
    watches: ["tool.failed", "tool.completed", "frame.ended"],
    checks: [toldOf("tool.starting", "tool.failed", "frame.ended")],
  },
  {
    name: "a prompt that fails ends once",
    says: {},
    watches: ["session.started", "frame.opening", "frame.ended"],
    model: { kind: "refuse" },
    checks: [toldOf("session.started", "frame.opening", "frame.ended")],
  },
  {
    name: "an agent begins and ends as one, and its end is not the prompt's",
    says: {},
    watches: ["session.started", "subagent.started", "subagent.ended", "frame.ended"],
    model: calls("task", { description: "sub", prompt: "do it", subagent_type: "general" }),
    checks: [toldOf("session.started", "subagent.started", "subagent.ended", "frame.ended")],
  },
];

export const copilotControls: readonly Control[] = [
  ...SHARED,
  STOPS_CALL,
  CONTINUES,
  OTHER_OUTPUT,
  DENIED_OUTPUT,
  {
    name: "another prompt is what the model hears",
    says: { "frame.opening": { updated_input: CHANGED } },
    model: SAYS,
    checks: [told(CHANGED)],
  },
  {
    name: "context before a call reaches the model",
    says: { "tool.starting": context },
    checks: [told(CONTEXT)],
  },
  {
    name: "context of a session reaches the model",
    says: { "session.started": context },
    checks: [told(CONTEXT)],
  },
  {
    name: "context of a call that failed reaches the model",
    says: { "tool.failed": context },
    model: calls("view", { path: "<project>/none.txt" }),
    checks: [told(CONTEXT), toldOf("tool.failed")],
  },
  {
    name: "permission is denied, and the model hears why",
    says: { "permission.requested": deny },
    checks: [ran(false), told(REASON)],
  },
  {
    name: "a stop where permission is asked for ends the run",
    says: { "permission.requested": stop },
    checks: [ran(false), asked(1)],
  },
  {
    name: "an agent begins and ends as one, and its end is not the prompt's",
    says: { "subagent.started": context },
    watches: ["session.started", "frame.opening", "subagent.ended", "frame.ending", "session.ended"],
    model: calls("task", {
      name: "sub",
      description: "sub",
      prompt: "do it",
      agent_type: "general-purpose",
      mode: "sync",
    }),
    checks: [
      told(CONTEXT),
      toldOf(
        "session.started",
        "frame.opening",
        "subagent.started",
        "subagent.ended",
        "frame.ending",
        "session.ended",
      ),
    ],
  },
];
