import { expect, test } from "vitest";
import { createModelFailure } from "../../model/failure/failure.ts";
import type { ModelEvent } from "../../model/model.ts";
import type { ThreadEvent } from "../state/events.ts";
import type { ThreadSettings } from "../state/settings.ts";
import { instrumentResponse } from "./instrument-response.ts";

const { error } = createModelFailure("unusable", { detail: "no" });
const delta: ModelEvent = { type: "textDelta", itemId: null, delta: "x" };
const accepted: ModelEvent = { type: "accepted", turnState: null, rateLimits: [] };
const retrying: ModelEvent = { type: "retrying", attempt: 1, max: 3, delayMs: 0, error };
const completed: ModelEvent = { type: "completed", responseId: "1", usage: null, endTurn: null };

async function tell(events: readonly ModelEvent[], read = async () => {}): Promise<string[]> {
  const told: ThreadEvent[] = [];
  const settings = { modelProvider: "p", model: "m" } as ThreadSettings;
  const core = { settings, createId: () => "id", onEvent: (event: ThreadEvent) => void told.push(event) };
  await instrumentResponse(core, "turn", async (onModelEvent) => {
    for (const event of events) onModelEvent(event);
    await read();
  }).catch(() => {});
  return told.map((event) => (event.type === "modelAnswered" ? event.outcome : event.type));
}

test.each<[string, readonly ModelEvent[], readonly string[]]>([
  ["an answer", [accepted, delta, delta, completed], ["answerBegun", "completed"]],
  ["an answer without text", [accepted, completed], ["completed"]],
  ["a failure", [{ type: "failed", error }], ["failed"]],
  ["one that is left", [accepted, delta], ["answerBegun", "interrupted"]],
  ["one that is never begun", [], ["interrupted"]],
  [
    "one that breaks, and what it had counts",
    [accepted, delta, retrying],
    ["answerBegun", "modelRetried", "broken"],
  ],
  [
    "one that breaks, is asked for again and is left",
    [accepted, retrying, accepted],
    ["modelRetried", "interrupted"],
  ],
  [
    "one that breaks and then comes",
    [accepted, retrying, accepted, completed],
    ["modelRetried", "completed"],
  ],
])("%s", async (_, events, expected) => {
  expect(await tell(events)).toEqual(["modelAsked", ...expected]);
});

test("a reader that fails has left", async () => {
  expect(await tell([accepted], () => Promise.reject(new Error("no")))).toEqual([
    "modelAsked",
    "interrupted",
  ]);
});
