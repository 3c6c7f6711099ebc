// Modes of the model: effort, summaries, collaboration.

import { choice, define, effort, nullable, object, string, unit, variants } from "./shape.ts";

export const ModeKind = define(
  "ModeKind",
  choice("plan", "code", "custom", "default", "execute", "pair_programming"),
  "How user and agent work together. Everything but `plan` is an older name of `default`.",
);
export const ReasoningEffort = define("ReasoningEffort", effort());
export const Settings = define(
  "Settings",
  object({
    model: string(),
    reasoning_effort: nullable(ReasoningEffort),
    developer_instructions: nullable(string()),
  }),
);
export const CollaborationMode = define("CollaborationMode", object({ mode: ModeKind, settings: Settings }));
export const CyberAccessProgram = define(
  "CyberAccessProgram",
  choice("standard", "daybreakBlue", "daybreakRed"),
);
export const MultiAgentMode = define(
  "MultiAgentMode",
  variants({ none: unit, custom: string(), explicitRequestOnly: unit, proactive: unit }),
);
export const Personality = define("Personality", choice("none", "friendly", "pragmatic"));
export const ReasoningSummary = define("ReasoningSummary", choice("auto", "concise", "detailed", "none"));
