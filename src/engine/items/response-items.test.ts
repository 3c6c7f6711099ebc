import { expect, test } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { withId, withoutForeignId } from "./response-items.ts";

const call: ResponseItem = { type: "function_call", call_id: "c", name: "n", arguments: "{}" };
const createId = () => "1";

test("an item without a name gets one that begins with its kind", () => {
  const output: ResponseItem = { type: "function_call_output", call_id: "c", output: "" };
  const named = [call, output, { ...call, id: "fc_own" }, { type: "other" } as const];
  expect(named.map((item) => withId(item, createId))).toEqual([
    { ...call, id: "fc_1" },
    { ...output, id: "fco_1" },
    { ...call, id: "fc_own" },
    { type: "other" },
  ]);
});

test.each(["fc_1", "any_thing_else"])("the name %s is sent", (id) => {
  expect(withoutForeignId({ ...call, id })).toEqual({ ...call, id });
});

test.each(["call-1", "fc_", "_1", ""])("the name %j is left out", (id) => {
  expect(withoutForeignId({ ...call, id })).toEqual(call);
});
