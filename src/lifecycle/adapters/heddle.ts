import { cannot, type HarnessAdapter, type HookRow, native, partial, told } from "./adapter.ts";
import { codex, preToolUse } from "./codex.ts";

/** Hooks that Heddle takes from files and has no moment for. */
const WITHOUT_MOMENT: readonly string[] = ["SubagentStart", "SubagentStop"];

/** What hooks of the same name can say here and not in Codex. */
const SAYS_MORE: Readonly<Record<string, NonNullable<HookRow["says"]>>> = {
  PreToolUse: {
    allow: preToolUse({ permissionDecision: "allow" }, "permissionDecisionReason"),
    ask: preToolUse({ permissionDecision: "ask" }, "permissionDecisionReason"),
    updated_input: partial(({ decision, updated_input = null }) => {
      if (decision?.kind === "deny" || decision?.kind === "stop")
        return cannot("a call that does not happen has no input");
      if (updated_input === null) return cannot("null leaves the input as it is");
      const isPermitted = decision?.kind === "allow" || decision?.kind === "ask";
      return told({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          // An input is taken with one of the two only, and to allow would be to say more than was said.
          ...(!isPermitted && { permissionDecision: "ask" }),
          updatedInput: updated_input,
        },
      });
    }),
  },
  PostToolUse: {
    updated_output: native(({ decision, updated_output = null }) => {
      if (decision?.kind === "deny") return cannot("the reason of the denial takes the place of the output");
      if (updated_output === null) return cannot("null leaves the output as it is");
      return told({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedOutput: updated_output } });
    }),
  },
};

/** Heddle runs the hooks of Codex, from the same files, and takes more of what they say. */
export const heddle: HarnessAdapter = {
  ...codex,
  id: "heddle",
  displayName: "Heddle",
  evidence: { program: "heddle", basis: "observed" },
  modes: ["native_hook"],
  hooks: codex.hooks
    .filter(({ hook }) => !WITHOUT_MOMENT.includes(hook))
    .map((row) => ({ ...row, says: { ...row.says, ...SAYS_MORE[row.hook] } })),
};
