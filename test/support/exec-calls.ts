/** Helpers for tests of `heddle exec`: a harness that is closed with the test, and readers of events. */
import { onTestFinished } from "vitest";
import {
  type Ended,
  type ExecHarness,
  type ExecHarnessOptions,
  type ModelRequestBody,
  openExecHarness,
} from "./exec-harness.ts";

export async function setupExec(
  replies?: ExecHarnessOptions["replies"],
  options: ExecHarnessOptions = {},
): Promise<ExecHarness> {
  const harness = await openExecHarness({ ...options, ...(replies !== undefined && { replies }) });
  onTestFinished(() => harness.close());
  return harness;
}

export const itemsOf = ({ events }: Ended) =>
  events.flatMap(({ item }) => (item === undefined ? [] : [item]));

export const kindsOf = ({ events }: Ended) =>
  events.map(({ type, item }) => (item === undefined ? type : `${type} ${item.type} ${item.id}`));

/** The first item is the warning about an unknown model. */
export const WHOLE_TURN = [
  "thread.started",
  "item.completed error item_0",
  "turn.started",
  "item.completed agent_message item_1",
  "turn.completed",
];

export const promptOf = (asked: ModelRequestBody | undefined) => asked?.input.at(-1)?.content.at(-1)?.text;
