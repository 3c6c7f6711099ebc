/** `PermissionRequest`: fires before the user is asked for permission. */
import type { HookDialect } from "../configured-hook.ts";
import {
  anything,
  choice,
  flag,
  type Infer,
  maybe,
  object,
  optional,
  required,
  text,
} from "../schema/shape.ts";
import { withTurn } from "./claude-event.ts";
import { type CoverageCell, coverCalls } from "./coverage.ts";
import { type DecisionSummary, summarize } from "./decision-summary.ts";
import { defineEvent, NO_STATUS_CODE, type OutputReading } from "./event.ts";
import { blocksOf, type FinishedRun, type HookStop, stopOf } from "./finished-run.ts";
import {
  model,
  permissionMode,
  sessionMembers,
  toolCall,
  toolSubjects,
  turn,
  withinAgent,
} from "./input-members.ts";
import { blocked, completed, type Meaning, rejected, stopped, trimmed } from "./meaning.ts";
import { specific, universalOfDecisions } from "./output-members.ts";

const DENIED = "PermissionRequest hook denied approval";

const output = object({
  ...universalOfDecisions,
  hookSpecificOutput: maybe(
    object({
      ...specific("PermissionRequest"),
      decision: maybe(
        object({
          behavior: required(choice(["allow", "deny"])),
          message: maybe(text, "Why it is denied."),
          updatedInput: maybe(anything, "Refused."),
          updatedPermissions: maybe(anything, "Refused."),
          interrupt: optional(flag, "Refused if it is true."),
        }),
      ),
    }),
  ),
});

type Answer = Infer<typeof output>;

const codex: OutputReading = {
  output,
  invalid: "hook returned invalid permission-request JSON output",
  plainText: "ignored",
  exitTwo: {
    complaint: "PermissionRequest hook exited with code 2 but did not write a denial reason to stderr",
    isReasonOptional: false,
  },
  exitError: "code",
  killed: NO_STATUS_CODE,
};

export interface PermissionRequestDecision {
  /** Null leaves the decision to the user. */
  readonly verdict:
    | { readonly behavior: "allow" }
    | { readonly behavior: "deny"; readonly message: string }
    | null;
  /** The turn ends as well; the verdict is then a denial. */
  readonly stop: HookStop | null;
}

const HARMLESS: CoverageCell = { silent: "no approval is needed: it changes nothing" };

export const permissionRequest = defineEvent({
  name: "PermissionRequest",
  description: "When a person would be asked.",
  scope: "turn",
  input: object({
    ...sessionMembers("PermissionRequest"),
    ...model,
    ...turn,
    ...withinAgent,
    ...permissionMode,
    ...toolCall,
  }),
  subjectsOf: toolSubjects,
  isGuard: true,
  whenInconclusive: "stillAsk",
  firesInReviews: true,
  reading: { codex, claude: { ...codex, exitTwo: null } },
  claude: { tool: "call", members: withTurn },
  lifecycle: "permission.requested",
  coverage: coverCalls(
    { can: ["allow", "deny"] },
    {
      "dynamic tool": { silent: "no approval is needed: the client runs it" },
      plan: HARMLESS,
      image: HARMLESS,
      typing: { silent: "approval was requested when the command began" },
    },
  ),
  interpret,
  fold: (runs): PermissionRequestDecision => ({ verdict: verdictOf(runs), stop: stopOf(runs) }),
  describe,
});

function interpret(answer: Answer, dialect: HookDialect): Meaning {
  const decision = answer.hookSpecificOutput?.decision ?? null;
  const isClaude = dialect === "claude";
  if (isClaude && answer.continue === false) return stopped(answer.stopReason ?? null);
  const unsupported = isClaude ? unsupportedIn(decision, isClaude) : unsupportedBeside(answer);
  if (unsupported !== null) return rejected(`PermissionRequest hook returned unsupported ${unsupported}`);
  if (decision === null) return completed();
  if (decision.behavior === "allow") return completed({ permission: { behavior: "allow", reason: null } });
  const denial = blocked(trimmed(decision.message) ?? DENIED);
  if (decision.interrupt !== true) return denial;
  return { ...denial, effect: { ...denial.effect, stop: { reason: denial.effect.block ?? null } } };
}

function unsupportedBeside(answer: Answer): string | null {
  if (answer.continue === false) return "continue:false";
  if ((answer.stopReason ?? null) !== null) return "stopReason";
  if (answer.suppressOutput === true) return "suppressOutput";
  return unsupportedIn(answer.hookSpecificOutput?.decision ?? null, false);
}

type Decided = NonNullable<NonNullable<Answer["hookSpecificOutput"]>["decision"]>;

/**
 * An allowance for changed input is rejected, because it would allow something that the hook has not seen;
 * denials are unaffected.
 */
function unsupportedIn(decision: Decided | null, isClaude: boolean): string | null {
  if (decision === null || (isClaude && decision.behavior === "deny")) return null;
  if ((decision.updatedInput ?? null) !== null) return "updatedInput";
  if ((decision.updatedPermissions ?? null) !== null) return "updatedPermissions";
  return decision.interrupt === true && !isClaude ? "interrupt:true" : null;
}

function verdictOf(runs: readonly FinishedRun[]): PermissionRequestDecision["verdict"] {
  const [message] = blocksOf(runs);
  if (message !== undefined) return { behavior: "deny", message };
  const stop = stopOf(runs);
  if (stop !== null) return { behavior: "deny", message: stop.reason ?? DENIED };
  const behaviors = runs.map(({ outcome }) => outcome.effect.permission?.behavior);
  return behaviors.includes("allow") && !behaviors.includes("ask") ? { behavior: "allow" } : null;
}

function describe({ verdict, stop }: PermissionRequestDecision): DecisionSummary {
  const end = stop === null ? [] : ["the turn would end"];
  if (verdict === null) return summarize(stop !== null, ["the user would be asked", ...end]);
  return verdict.behavior === "allow"
    ? summarize(stop !== null, ["permission would be given", ...end])
    : summarize(true, [`permission would be denied: ${verdict.message}`, ...end]);
}
