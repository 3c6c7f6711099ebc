/** `PreCompact`: fires before the history is compacted. */
import type { HookDialect } from "../configured-hook.ts";
import { type Infer, object } from "../schema/shape.ts";
import { withPrompt } from "./claude-event.ts";
import {
  compactionInput,
  compactionReading,
  describeCompaction,
  foldCompaction,
  interpretStop,
} from "./compaction.ts";
import { coverPrompts, NOT_COMPACTED } from "./coverage.ts";
import { defineEvent } from "./event.ts";
import { blocked, type Meaning, trimmed } from "./meaning.ts";
import { claudeBlock, universal } from "./output-members.ts";

const blockingOutput = object({ ...universal, ...claudeBlock });

const codex = compactionReading("PreCompact");

export const preCompact = defineEvent({
  name: "PreCompact",
  description: "Before compaction.",
  scope: "turn",
  input: compactionInput("PreCompact"),
  subjectsOf: ({ trigger }) => [trigger],
  isGuard: false,
  reading: {
    codex,
    claude: {
      ...codex,
      output: blockingOutput,
      exitTwo: {
        complaint: "PreCompact hook exited with code 2 but did not write a blocking reason to stderr",
        isReasonOptional: true,
      },
    },
  },
  claude: { members: (available) => ({ ...withPrompt(available), custom_instructions: null }) },
  lifecycle: "context.pressure_observed",
  coverage: coverPrompts(NOT_COMPACTED, { compaction: { can: ["block"] } }),
  interpret: (answer: Infer<typeof blockingOutput>, dialect: HookDialect): Meaning => {
    if (answer.continue === false || dialect === "codex" || answer.decision !== "block") {
      return interpretStop("PreCompact", answer);
    }
    return blocked(trimmed(answer.reason) ?? "PreCompact hook blocked the compaction");
  },
  fold: (runs) => foldCompaction("PreCompact", runs),
  describe: (decision) => describeCompaction("the history would not be compacted", decision),
});
