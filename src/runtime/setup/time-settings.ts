import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { TurnSetup } from "../../engine/turn/turn-setup.ts";

const FEATURE = "current_time_reminder";

/** The clock of a thread, and the time reminders for its model. */
export function readTimeSettings(
  values: ConfigValues,
  features: ReadonlyMap<string, boolean>,
): TurnSetup["time"] {
  const isInContext = values.include_environment_context && values.include_environment_context_time;
  if (features.get(FEATURE) !== true) return { isFromClient: false, isInContext, reminder: null };
  const table = tableOf(values.features?.[FEATURE]);
  const interval = table["reminder_interval_seconds"];
  return {
    isFromClient: table["clock_source"] === "external",
    isInContext,
    reminder: {
      intervalSeconds: typeof interval === "number" ? interval : 1,
      onlyAfterInput: table["delivery_mode"] === "after_user_or_tool_output",
    },
  };
}

function tableOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
