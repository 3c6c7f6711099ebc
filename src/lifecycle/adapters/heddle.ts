import { heddleHooks } from "../generated/heddle-hooks.ts";
import type { EventName } from "../vocabulary/events.ts";
import { cannot, type HarnessAdapter, type HookRow, native, partial, told } from "./adapter.ts";
import { codex, preToolUse } from "./codex.ts";

type Says = NonNullable<HookRow["says"]>;

/** What hooks can say here and not in Codex, by the event that they are read as. */
const SAYS_MORE: Partial<Readonly<Record<EventName, (hookEventName: string) => Says>>> = {
  "tool.starting": (hookEventName) => ({
    allow: preToolUse({ permissionDecision: "allow" }, "permissionDecisionReason"),
    ask: preToolUse({ permissionDecision: "ask" }, "permissionDecisionReason"),
    updated_input: partial(({ decision, updated_input = null }) => {
      if (decision?.kind === "deny" || decision?.kind === "stop")
        return cannot("a call that does not happen has no input");
      if (updated_input === null) return cannot("null leaves the input as it is");
      const isPermitted = decision?.kind === "allow" || decision?.kind === "ask";
      return told({
        hookSpecificOutput: {
          hookEventName,
          // An input is taken with one of the two only, and to allow would be to say more than was said.
          ...(!isPermitted && { permissionDecision: "ask" }),
          updatedInput: updated_input,
        },
      });
    }),
  }),
  "tool.completed": (hookEventName) => ({
    updated_output: native(({ decision, updated_output = null }) => {
      if (decision?.kind === "deny") return cannot("the reason of the denial takes the place of the output");
      if (updated_output === null) return cannot("null leaves the output as it is");
      return told({ hookSpecificOutput: { hookEventName, updatedOutput: updated_output } });
    }),
  }),
};

const readAs = new Map(heddleHooks.map(({ hook, reads }) => [hook, reads]));
const ofCodex = codex.hooks.filter(({ hook }) => readAs.has(hook));
const others: readonly HookRow[] = heddleHooks.filter(({ hook }) =>
  ofCodex.every((row) => row.hook !== hook),
);

/** Heddle runs the hooks of Codex, from the same files, and takes more of what they say. */
export const heddle: HarnessAdapter = {
  ...codex,
  id: "heddle",
  displayName: "Heddle",
  evidence: { program: "heddle", basis: "observed" },
  modes: ["native_hook"],
  hooks: [...ofCodex, ...others].map((row) => {
    const reads = readAs.get(row.hook);
    if (reads === undefined) return row;
    return { ...row, reads, says: { ...row.says, ...SAYS_MORE[reads]?.(row.hook) } };
  }),
};
