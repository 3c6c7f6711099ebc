import { heddleHooks } from "../generated/heddle-hooks.ts";
import type { EventName } from "../vocabulary/events.ts";
import { type HarnessAdapter, type HookRow, native, partial, unsupported, written } from "./adapter.ts";
import { codexAdapter, preToolUseDecision } from "./codex.ts";

type Writers = NonNullable<HookRow["writers"]>;

/** Writers that Heddle has beyond those of Codex, by event. */
const EXTRA_WRITERS: Partial<Readonly<Record<EventName, (hookEventName: string) => Writers>>> = {
  "tool.starting": (hookEventName) => ({
    allow: preToolUseDecision({ permissionDecision: "allow" }, "permissionDecisionReason"),
    ask: preToolUseDecision({ permissionDecision: "ask" }, "permissionDecisionReason"),
    updated_input: partial(({ decision, updated_input = null }) => {
      if (decision?.kind === "deny" || decision?.kind === "stop")
        return unsupported("a call that does not happen has no input");
      if (updated_input === null) return unsupported("null leaves the input as it is");
      const isPermitted = decision?.kind === "allow" || decision?.kind === "ask";
      return written({
        hookSpecificOutput: {
          hookEventName,
          // An updated input requires `allow` or `ask`; `allow` would grant more than the result decided.
          ...(!isPermitted && { permissionDecision: "ask" }),
          updatedInput: updated_input,
        },
      });
    }),
  }),
  "tool.completed": (hookEventName) => ({
    updated_output: native(({ decision, updated_output = null }) => {
      if (decision?.kind === "deny")
        return unsupported("the reason of the denial takes the place of the output");
      if (updated_output === null) return unsupported("null leaves the output as it is");
      return written({ hookSpecificOutput: { hookEventName, updatedOutput: updated_output } });
    }),
  }),
};

const readAs = new Map(heddleHooks.map(({ hook, reads }) => [hook, reads]));
const codexHooks = codexAdapter.hooks.filter(({ hook }) => readAs.has(hook));
const ownHooks: readonly HookRow[] = heddleHooks.filter(({ hook }) =>
  codexHooks.every((row) => row.hook !== hook),
);

/** Heddle runs the hooks of Codex, from the same files, and accepts more output. */
export const heddleAdapter: HarnessAdapter = {
  ...codexAdapter,
  id: "heddle",
  displayName: "Heddle",
  evidence: { program: "heddle", basis: "observed" },
  modes: ["native_hook"],
  hooks: [...codexHooks, ...ownHooks].map((row) => {
    const reads = readAs.get(row.hook);
    if (reads === undefined) return row;
    return { ...row, reads, writers: { ...row.writers, ...EXTRA_WRITERS[reads]?.(row.hook) } };
  }),
};
