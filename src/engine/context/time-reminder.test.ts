import { expect, test } from "vitest";
import { textMessage } from "../items/response-items.ts";
import { createTimeReminder, type ReminderSettings } from "./time-reminder.ts";

const said = textMessage("user", "Go");
const answer = textMessage("assistant", "Done");
const output = { type: "function_call_output", call_id: "c", output: "" } as const;

/** Whether each of the requests, given as a window, a time and the length of the history, brings a reminder. */
function run(settings: ReminderSettings, requests: readonly (readonly [string, number, number])[]) {
  const reminder = createTimeReminder();
  const history = [said, answer, output, answer, answer];
  return requests.map(([windowId, nowMs, length]) =>
    reminder.isDue({ windowId, nowMs, history: history.slice(0, length) }, settings),
  );
}

test("the time is told again when the interval has passed, and in each new window", () => {
  const settings = { intervalSeconds: 2, onlyAfterInput: false };
  const requests = [
    ["a", 0, 1],
    ["a", 1999, 2],
    ["a", 2000, 2],
    ["b", 2001, 1],
  ] as const;
  expect(run(settings, requests)).toEqual([true, false, true, true]);
});

test("it may be told only after the user or a tool has said something", () => {
  const settings = { intervalSeconds: 0, onlyAfterInput: true };
  const requests = [
    ["a", 0, 1],
    ["a", 1, 2],
    ["a", 2, 3],
    ["a", 3, 5],
    ["b", 4, 5],
  ] as const;
  expect(run(settings, requests)).toEqual([true, false, true, false, true]);
});
