import { expect, test } from "vitest";
import { readPlanCall } from "./turn-plans.ts";

const call = (argumentsText: unknown) => ({ name: "update_plan", arguments: argumentsText });

test.each<[item: object, steps: readonly object[] | null]>([
  [
    call('{"plan":[{"step":"a","status":"completed"},{"step":"b","status":"in_progress"}]}'),
    [
      { step: "a", status: "completed" },
      { step: "b", status: "inProgress" },
    ],
  ],
  [call('{"plan":[{"step":1,"status":"pending"},{"step":"b","status":"later"},null,"c"]}'), []],
  [call('{"plan":{}}'), []],
  [call("null"), []],
  [call("{"), []],
  [call(null), null],
  [{ name: "exec_command", arguments: "{}" }, null],
])("the plan of %j", (item, steps) => {
  expect(readPlanCall({ ...item })).toEqual(steps);
});
