import { expect, test } from "vitest";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { readTimeSettings } from "./time-settings.ts";

function read(reminder: unknown, isOn = true, shown: Partial<ConfigValues> = {}) {
  const values = {
    include_environment_context: true,
    include_environment_context_time: true,
    features: { current_time_reminder: reminder },
    ...shown,
  } as unknown as ConfigValues;
  return readTimeSettings(values, new Map([["current_time_reminder", isOn]]));
}

test("without the feature the model is told the day, and nothing more", () => {
  expect(read(false, false)).toEqual({ isFromClient: false, isInContext: true, reminder: null });
});

test("the feature reminds of the machine's time before every answer, at most once in a second", () => {
  const reminder = { intervalSeconds: 1, onlyAfterInput: false };
  expect(read(true)).toEqual({ isFromClient: false, isInContext: true, reminder });
});

test("its table says whose time it is and how often it is told", () => {
  const table = {
    enabled: true,
    clock_source: "external",
    reminder_interval_seconds: 60,
    delivery_mode: "after_user_or_tool_output",
  };
  expect(read(table, true, { include_environment_context: false })).toEqual({
    isFromClient: true,
    isInContext: false,
    reminder: { intervalSeconds: 60, onlyAfterInput: true },
  });
});
