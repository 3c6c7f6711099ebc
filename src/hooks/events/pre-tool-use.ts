/** `PreToolUse`: fires before a tool call. */
import type { HookDialect } from "../configured-hook.ts";
import type { HookPermission } from "../outcome.ts";
import { anything, choice, type Infer, maybe, object, text } from "../schema/shape.ts";
import { withTurn } from "./claude-event.ts";
import { coverCalls } from "./coverage.ts";
import { because, type DecisionSummary, describeContexts, summarize } from "./decision-summary.ts";
import { defineEvent, NO_STATUS_CODE, type OutputReading } from "./event.ts";
import {
  blocksOf,
  contextsOf,
  type FinishedRun,
  type HookContext,
  type HookStop,
  replacementOf,
  stopOf,
} from "./finished-run.ts";
import {
  model,
  permissionMode,
  sessionMembers,
  toolCall,
  toolSubjects,
  toolUseId,
  turn,
  withinAgent,
} from "./input-members.ts";
import {
  blocked,
  blockWithoutReason,
  completed,
  type Meaning,
  rejected,
  stopped,
  trimmed,
} from "./meaning.ts";
import { additionalContext, messageVisibility, specific, universalOfDecisions } from "./output-members.ts";

const top = {
  ...universalOfDecisions,
  ...messageVisibility,
  decision: maybe(choice(["approve", "block"]), "Older than `permissionDecision`; `approve` is rejected."),
  reason: maybe(text, "Why. Needed for a block."),
};

const decided = {
  permissionDecisionReason: maybe(text, "Why. Needed to deny."),
  updatedInput: maybe(anything, "What the tool is called with instead. Only with `allow` or `ask`."),
};

const output = object({
  ...top,
  hookSpecificOutput: maybe(
    object({
      ...specific("PreToolUse"),
      permissionDecision: maybe(
        choice(["allow", "deny", "ask", "defer"]),
        "Allow without approval, deny, or require approval; `defer` leaves the call to the user, as `ask` does.",
      ),
      ...decided,
      ...additionalContext,
    }),
  ),
});

const claudeOutput = object({
  ...top,
  hookSpecificOutput: maybe(
    object({
      ...specific("PreToolUse"),
      permissionDecision: maybe(choice(["allow", "deny", "ask", "defer"])),
      ...decided,
      ...additionalContext,
    }),
  ),
});

type Answer = Infer<typeof claudeOutput>;

const complaint = "PreToolUse hook exited with code 2 but did not write a blocking reason to stderr";

const codex: OutputReading = {
  output,
  invalid: "hook returned invalid pre-tool-use JSON output",
  plainText: "ignored",
  exitTwo: { complaint, isReasonOptional: false },
  exitError: "code",
  killed: NO_STATUS_CODE,
};

export interface PreToolUseDecision {
  readonly contexts: readonly HookContext[];
  readonly verdict:
    | { readonly kind: "block"; readonly reason: string }
    | {
        readonly kind: "proceed";
        /** Undefined where the model's input is unchanged. */
        readonly updatedInput: unknown;
        readonly permission: "allow" | "ask" | null;
        readonly reason: string | null;
        /** Effects that were overridden by other hooks. */
        readonly conflicts: readonly string[];
      };
  /** The turn ends as well; the verdict is then a block. */
  readonly stop: HookStop | null;
}

export const preToolUse = defineEvent({
  name: "PreToolUse",
  description: "Before a tool runs.",
  scope: "turn",
  input: object({
    ...sessionMembers("PreToolUse"),
    ...model,
    ...turn,
    ...withinAgent,
    ...permissionMode,
    ...toolCall,
    ...toolUseId,
  }),
  subjectsOf: toolSubjects,
  isGuard: true,
  whenInconclusive: "ask",
  addsContext: true,
  firesInReviews: true,
  reading: {
    codex,
    claude: { ...codex, output: claudeOutput, exitTwo: { complaint, isReasonOptional: true } },
  },
  claude: { tool: "call", members: withTurn },
  lifecycle: "tool.starting",
  coverage: coverCalls(
    { can: ["block", "change the input", "allow", "have it asked about", "add context"] },
    { can: ["block", "change the input", "add context"] },
  ),
  interpret: (answer: Answer, dialect: HookDialect): Meaning =>
    dialect === "claude" ? interpretTolerantly(answer) : interpretStrictly(answer),
  fold: (runs): PreToolUseDecision => ({
    contexts: contextsOf(runs),
    verdict: verdictOf(runs),
    stop: stopOf(runs),
  }),
  describe,
});

/** As the peer, except for `allow` and `ask`, which the peer rejects. */
function interpretStrictly(answer: Answer): Meaning {
  if (answer.continue === false) return rejected("PreToolUse hook returned unsupported continue:false");
  if (hasValue(answer.stopReason)) return rejected("PreToolUse hook returned unsupported stopReason");
  if (answer.suppressOutput === true) return rejected("PreToolUse hook returned unsupported suppressOutput");
  const { permissionDecision, permissionDecisionReason, updatedInput } = answer.hookSpecificOutput ?? {};
  if (![permissionDecision, permissionDecisionReason, updatedInput].some(hasValue)) {
    return interpretLegacy(answer);
  }
  const permits = hasValue(permissionDecision) && permissionDecision !== "deny";
  if (hasValue(updatedInput) && !permits) {
    return rejected("PreToolUse hook returned updatedInput without permissionDecision:allow");
  }
  if (!hasValue(permissionDecision)) {
    return rejected("PreToolUse hook returned permissionDecisionReason without permissionDecision");
  }
  if (permissionDecision === "deny" && trimmed(permissionDecisionReason) === null) {
    return rejected(
      "PreToolUse hook returned permissionDecision:deny without a non-empty permissionDecisionReason",
    );
  }
  return interpretPermission(answer);
}

function interpretLegacy({ decision, reason }: Answer): Meaning {
  if (decision === "approve") return rejected("PreToolUse hook returned unsupported decision:approve");
  if (decision === "block") {
    const blockReason = trimmed(reason);
    return blockReason === null ? rejected(blockWithoutReason("PreToolUse")) : blocked(blockReason);
  }
  return hasValue(reason) ? rejected("PreToolUse hook returned reason without decision") : completed();
}

function interpretTolerantly(answer: Answer): Meaning {
  if (answer.continue === false) return stopped(answer.stopReason ?? null);
  if (hasValue(answer.hookSpecificOutput?.permissionDecision)) return interpretPermission(answer);
  if (answer.decision === "block")
    return blocked(trimmed(answer.reason) ?? "PreToolUse hook denied the call");
  const { updatedInput } = answer.hookSpecificOutput ?? {};
  const reason = trimmed(answer.reason);
  return completed({
    permission: answer.decision === "approve" ? { behavior: "allow", reason } : null,
    updatedInput: updatedInput ?? undefined,
  });
}

function interpretPermission({ hookSpecificOutput }: Answer): Meaning {
  const { permissionDecision, permissionDecisionReason, updatedInput } = hookSpecificOutput ?? {};
  const reason = trimmed(permissionDecisionReason);
  if (permissionDecision === "deny") return blocked(reason ?? "PreToolUse hook denied the call");
  // The user is the one to defer to: the question outlives the server where `approvals.after_restart` is `ask`.
  const behavior: HookPermission["behavior"] = permissionDecision === "allow" ? "allow" : "ask";
  return completed({ permission: { behavior, reason }, updatedInput: updatedInput ?? undefined });
}

function verdictOf(runs: readonly FinishedRun[]): PreToolUseDecision["verdict"] {
  const [block] = blocksOf(runs);
  const stop = stopOf(runs);
  if (block !== undefined || stop !== null) {
    return { kind: "block", reason: block ?? stop?.reason ?? "PreToolUse hook stopped execution" };
  }
  const permissions = runs.map(({ outcome }) => outcome.effect.permission).filter(hasValue);
  const permission =
    permissions.find(({ behavior }) => behavior !== "allow") ?? permissions.find(() => true) ?? null;
  const { value, conflicts } = replacementOf(runs, "updatedInput");
  return {
    kind: "proceed",
    updatedInput: value,
    permission: permission === null ? null : permission.behavior === "allow" ? "allow" : "ask",
    reason: permission?.reason ?? null,
    conflicts,
  };
}

function hasValue<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function describe({ contexts, verdict, stop }: PreToolUseDecision): DecisionSummary {
  const context = describeContexts(contexts);
  const end = stop === null ? [] : ["the turn would end"];
  if (verdict.kind === "block")
    return summarize(true, [`the call would be blocked: ${verdict.reason}`, ...end, ...context]);
  const { updatedInput, permission, reason, conflicts } = verdict;
  return summarize(stop !== null, [
    ...(updatedInput === undefined ? [] : [`the call would be made with ${JSON.stringify(updatedInput)}`]),
    ...(permission === "allow" ? ["no approval would be requested"] : []),
    ...(permission === "ask" ? [`approval would be requested${because(reason)}`] : []),
    ...end,
    ...conflicts,
    ...context,
  ]);
}
