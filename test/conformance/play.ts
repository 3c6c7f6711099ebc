/** Plays one scenario against one server, step by step, and returns the recording. */
import type { Transport } from "../support/start-server.ts";
import { DeadlineError } from "../support/within.ts";
import { performFactStep } from "./fact-steps.ts";
import { performMessageStep } from "./message-steps.ts";
import { normalise } from "./normalise.ts";
import type { Recording } from "./recording.ts";
import type { Scenario, Step } from "./scenario.ts";
import { type Side, Stage } from "./stage.ts";

/** How long nothing must arrive before a scenario counts as over. */
const QUIET_AT_END = 120;

export type Played = {
  readonly recording: Recording;
  /** The recording with ids, times, paths and ports replaced by names, for comparing. */
  readonly normalised: Recording;
};

export async function play(scenario: Scenario, transport: Transport, side: Side): Promise<Played> {
  const stage = await Stage.open(scenario, transport, side);
  let stalled: string | undefined;
  try {
    if (scenario.starts !== false) await stage.start();
    for (const step of scenario.steps) await perform(stage, step);
    for (const { client } of stage.connections) await client.quiet(QUIET_AT_END);
  } catch (error) {
    // A side that does not answer is a finding, not a failure of the run; anything else is shown in full.
    stalled = error instanceof DeadlineError ? error.message : describe(error);
  } finally {
    await stage.close();
  }
  const recording: Recording = {
    entries: stage.entries(),
    unmet: stage.unmet,
    ...(stalled === undefined ? {} : { stalled }),
  };
  return { recording, normalised: normalise(recording, stage.known, scenario) };
}

async function perform(stage: Stage, step: Step): Promise<void> {
  switch (step.do) {
    case "call":
    case "send":
    case "reply":
    case "notify":
    case "raw":
    case "frame":
    case "lastFrame":
    case "await":
    case "answer":
    case "answerOpen":
    case "settle":
    case "connect":
    case "close":
      return await performMessageStep(stage, step);
    default:
      return await performFactStep(stage, step);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
