/** `PostCompact`: fires after the history was compacted. */
import type { Infer } from "../schema/shape.ts";
import { withPrompt } from "./claude-event.ts";
import {
  compactionInput,
  type compactionOutput,
  compactionReading,
  describeCompaction,
  foldCompaction,
  interpretStop,
} from "./compaction.ts";
import { coverPrompts, NOT_COMPACTED } from "./coverage.ts";
import { defineEvent } from "./event.ts";
import type { Meaning } from "./meaning.ts";

const reading = compactionReading("PostCompact");

export const postCompact = defineEvent({
  name: "PostCompact",
  description: "After compaction.",
  scope: "turn",
  input: compactionInput("PostCompact"),
  subjectsOf: ({ trigger }) => [trigger],
  isGuard: false,
  reading: { codex: reading, claude: reading },
  claude: { members: withPrompt },
  lifecycle: "context.compacted",
  coverage: coverPrompts(NOT_COMPACTED, { compaction: { can: ["end the turn"] } }),
  interpret: (answer: Infer<typeof compactionOutput>): Meaning => interpretStop("PostCompact", answer),
  fold: (runs) => foldCompaction("PostCompact", runs),
  describe: (decision) => describeCompaction("the turn would end after the compaction", decision),
});
