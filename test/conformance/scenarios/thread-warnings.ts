/** What the user is told of how a thread is configured when it starts. */
import { messageReply } from "../../support/model-events.ts";
import type { Scenario } from "../scenario.ts";
import { completed, TURN_ANSWERS, turn, turnScenario, withThread } from "../turn-steps.ts";

/** The warnings may come before or after the answer. */
const freeOrder = [...TURN_ANSWERS, ["warning"]];

export const threadWarningScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-warnings/configuration",
    about: "Settings that are ignored, unfinished features and a tier that the model lacks are told.",
    config: {
      root: 'frobnicate = 1\nservice_tier = "bogus"\n',
      tables: "[features]\nruntime_metrics = true\nrequest_permissions_tool = true\n",
    },
    freeOrder,
    steps: withThread(),
  }),
  turnScenario({
    name: "thread-warnings/suppressed",
    about: "The warning of unfinished features can be switched off.",
    config: {
      root: "suppress_unstable_features_warning = true\n",
      tables: "[features]\nruntime_metrics = true\n",
    },
    freeOrder,
    steps: withThread(),
  }),
  turnScenario({
    name: "thread-warnings/tier-of-a-thread",
    about: "A thread that asks for a tier that its model lacks starts without one.",
    freeOrder,
    model: [messageReply("Done")],
    steps: [
      ...withThread({ serviceTier: "experimental-tier-id" }),
      turn("Go"),
      completed,
      { do: "model", pick: ["/body/service_tier"], expect: [{}] },
    ],
  }),
  turnScenario({
    name: "thread-warnings/missing-key",
    about: "A provider whose key is not set fails the turn, and not the thread.",
    args: [
      "-c",
      'model_providers.mock.env_key="NO_SUCH_KEY"',
      "-c",
      'model_providers.mock.env_key_instructions="Set it."',
    ],
    freeOrder,
    steps: [...withThread(), turn("Go"), completed],
  }),
  turnScenario({
    name: "thread-warnings/instructions-file",
    about: "A file of instructions that is missing keeps threads from starting.",
    config: { root: 'model_instructions_file = "missing.md"\n' },
    steps: withThread(),
  }),
];
