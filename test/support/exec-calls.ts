/** What tests of `heddle exec` have in common: a place that is gone with the test, and how they look at events. */
import { onTestFinished } from "vitest";
import { type Asked, type Ended, type ExecPlace, openExecPlace, type PlaceOptions } from "./exec-place.ts";

export async function openPlace(
  replies?: PlaceOptions["replies"],
  options: PlaceOptions = {},
): Promise<ExecPlace> {
  const place = await openExecPlace({ ...options, ...(replies !== undefined && { replies }) });
  onTestFinished(() => place.close());
  return place;
}

export const itemsOf = ({ events }: Ended) =>
  events.flatMap(({ item }) => (item === undefined ? [] : [item]));

export const kindsOf = ({ events }: Ended) =>
  events.map(({ type, item }) => (item === undefined ? type : `${type} ${item.type} ${item.id}`));

/** The first item is the warning that the model is not known. */
export const WHOLE_TURN = [
  "thread.started",
  "item.completed error item_0",
  "turn.started",
  "item.completed agent_message item_1",
  "turn.completed",
];

export const promptOf = (asked: Asked | undefined) => asked?.input.at(-1)?.content.at(-1)?.text;
